"""Profiles choose tools and budgets by the kind of inputs."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import configurations

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ImageStack, Inputs, MeasuredStack, ValueStack
from quantrift.core.search.distortions.compound import groups
from quantrift.core.settings.searches import Tool
from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.profiles import TOOLS, Settings, fitting, plan

COMMON = {
    "dataset": "given",
    "title": "Given",
    "class_names": ["a", "b"],
    "labels": np.zeros(3, np.int64),
    "train": np.arange(3),
    "validation": np.empty(0, np.int64),
    "test": np.arange(3),
}


def images(channels: int) -> Inputs:
    return ImageStack(images=np.zeros((3, 8, 8, channels), np.uint8), **COMMON)  # type: ignore[arg-type]


def values(channels: int) -> Inputs:
    return ValueStack(values=np.zeros((3, 8, 8, channels), np.float32), low=-1, high=1, **COMMON)  # type: ignore[arg-type]


def test_tools_of_the_papers_are_those_of_the_workflow() -> None:
    known = configurations.of_scale().tools
    shared = set(known) & set(TOOLS)
    assert shared == {"random", "pso_div", "triggerfinder_code"}
    for name in shared:
        ours = Tool.model_validate(TOOLS[name])
        assert ours.model_dump(exclude={"title"}) == known[name].model_dump(exclude={"title"})


@pytest.mark.parametrize(
    ("inputs", "space", "tools"),
    [
        (images(1), None, ["image_random", "image_pso", "triggerfinder_code"]),
        (images(3), "hsi_distortions", ["random", "pso_div", "triggerfinder_code"]),
        (values(3), None, ["image_random", "image_pso"]),
        (values(103), None, ["random", "pso_div"]),
        (values(103), "image_distortions", ["image_random", "image_pso"]),
    ],
)
def test_tools_follow_from_the_kind_of_inputs(inputs: Inputs, space: str | None, tools: list[str]) -> None:
    found = plan(Settings(space=space), inputs)
    assert [one.id for one in found.tools] == tools
    assert [one.judged for one in found.tools] == [one != "triggerfinder_code" for one in tools]
    assert bool(found.notes) == ("triggerfinder_code" not in tools)


def test_without_opencv_triggerfinder_is_left_out_and_a_note_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    found = plan(Settings(), images(1))
    assert [tool.id for tool in found.tools] == ["image_random", "image_pso"]
    assert found.notes == ["TriggerFinder was left out: it needs OpenCV; pip install 'quantrift[triggerfinder]'"]


def test_fewer_generations_shrink_the_rest_and_leave_noise_out() -> None:
    found = plan(Settings(seeds=40, generations=5), images(1))
    assert [one.id for one in found.tools] == ["image_random", "image_pso"]
    assert (found.size.seeds, found.size.generations, found.size.shrunk) == (40, 5, 25)
    assert "TriggerFinder was left out" in found.notes[0]
    with pytest.raises(QuantriftError, match="--seeds is 0; give at least 1"):
        plan(Settings(seeds=0), images(1))


@pytest.mark.parametrize(("side", "of_search"), [(32, 200), (100, 66), (224, 13), (400, 10)])
def test_quick_searches_start_from_fewer_inputs_where_inputs_are_large(side: int, of_search: int) -> None:
    large = ImageStack(images=np.zeros((3, side, side, 3), np.uint8), **COMMON)  # type: ignore[arg-type]
    drawn, searched, noise = plan(Settings(), large).tools
    assert (drawn.seeds, searched.seeds, noise.seeds) == (500, of_search, min(40, of_search))
    # What a user asks for stands, a limit on searches needs them all, and the thorough profile is not bounded.
    assert [one.seeds for one in plan(Settings(limits=Limits(max_sr=0.1)), large).tools] == [500, 200, 40]
    assert [one.seeds for one in plan(Settings(seeds=60), large).tools] == [150, 60, 40]
    assert [one.seeds for one in plan(Settings("thorough"), large).tools] == [1250, 500, 100]


@given(st.floats(0, 1e5), st.integers(1, 500), st.sampled_from([25, 100, 7]))
def test_what_fits_a_time_budget_fits_it_and_gives_up_generations_first(room: float, seeds: int, most: int) -> None:
    chosen, generations = fitting(room, seeds, most)
    assert 1 <= chosen <= seeds
    assert 1 <= generations <= most
    assert chosen * generations <= room or (chosen, generations) == (1, min(2, most))
    if generations < most:
        assert seeds * most > room
    if chosen < min(30, seeds):
        assert generations == min(2, most)


def measured(kind: str, steps: int) -> Inputs:
    array = np.random.default_rng(0).normal(size=(3, 1, steps, 4)).astype(np.float32)
    return MeasuredStack(values=array, kind=kind, names=[], category=np.full(4, -1), **COMMON)  # type: ignore[arg-type]


def test_signals_and_tables_have_spaces_of_their_own_and_corruptions_are_asked_for() -> None:
    for inputs, space, prefix in (
        (measured("signal", 20), None, "signal"),
        (measured("signal", 20), "spectrogram_distortions", "spectrogram"),
        (measured("table", 1), None, "table"),
    ):
        found = plan(Settings(space=space), inputs)
        assert [one.id for one in found.tools] == [f"{prefix}_random", f"{prefix}_pso"]
        assert all(one.judged and one.calibration is None for one in found.tools)
    own = plan(Settings(space="image_corruptions"), images(3)).tools[0].settings["space"]["params"]["distortions"]
    assert tuple(own) == groups("images")["corruptions"]
    with pytest.raises(QuantriftError, match="'image_distortions' is not made for inputs of the kind 'table'"):
        plan(Settings(space="image_distortions"), measured("table", 1))


def test_images_on_no_grid_stay_off_it() -> None:
    for inputs, levels in ((images(1), 256), (values(1), None)):
        assert plan(Settings(), inputs).tools[0].settings["space"]["params"]["levels"] == levels


def test_unknown_profiles_and_spaces_are_refused() -> None:
    with pytest.raises(QuantriftError, match="there is no profile 'fast'"):
        plan(Settings(profile="fast"), images(1))  # type: ignore[arg-type]
    with pytest.raises(QuantriftError, match="there is no space 'pixels'"):
        plan(Settings(space="pixels"), images(1))
