"""The gallery of difference-inducing inputs, of a small simulated scene and of images."""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.factories import datasets, targets
from tests.factories.inputs import images

from quantrift.cli.main import main
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.base.table_columns import Arrays
from quantrift.core.page.false_colour import channels, pictures
from quantrift.core.search.record_columns import results_of
from quantrift.core.search.records.dii import load
from quantrift.core.search.records.stored_vectors import COLUMNS
from quantrift.study.results.figures.kinds.gallery import choose

DATASETS = {"tiny": datasets.scene(None, "Tiny scene", "ab")}


def draw(folder: Path, files: list[Path], **changes: object) -> Path:
    """The figure of some records, as SVG."""
    inputs = {("tiny", "hybridsn"): results_of(files[0]).inputs("tiny", "hybridsn")} if files else {}
    given = targets.given(
        {"inputs": inputs, "records": targets.of_searches(files)}, DATASETS, titles={"pso_div": "Swarm"}
    )
    stated = {"kind": "gallery", "title": "Disagreements", "from": ["rq1"], **changes}
    return targets.figure(folder, given, **stated).with_suffix(".svg")


@pytest.mark.slow
def test_each_input_shows_both_labels_its_distance_and_its_distortions(
    tiny_searches: dict[str, list[Path]], tmp_path: Path
) -> None:
    files = [*tiny_searches["pso_div"], *tiny_searches["ga_div"]]
    path = draw(tmp_path, files, number=2)
    found, before = targets.texts(path), path.read_bytes()
    assert {
        "Tiny scene \u00b7 hybridsn \u00b7 ptq_int8: Swarm",
        "Tiny scene \u00b7 hybridsn \u00b7 ptq_int8: ga_div",
    } <= set(found)
    assert "scale: demo" in found
    words = [text for text in found if text.startswith("original: ")]
    assert len(words) == 4
    assert set(words) <= {f"original: {name}" for name in ("low", "middle", "high")}
    assert sum(text.startswith("PSNR ") for text in found) == 4
    assert any("dropout" in text or "gaussian" in text for text in found)
    pictures_in = list(targets.drawn(path).iter(f"{targets.SVG}image"))
    assert len(pictures_in) == 12
    assert draw(tmp_path, files, number=2).read_bytes() == before


def test_a_command_beside_each_input_replays_it_with_the_same_probabilities(
    tiny_searches: dict[str, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = draw(tmp_path, [*tiny_searches["pso_div"], *tiny_searches["ga_div"]], number=2).with_suffix(".shown.csv")
    rows = pd.read_csv(table)
    assert list(rows["shown"].unique()) == [1, 2, 3, 4]
    assert rows.groupby("shown")[["p_original", "p_compressed"]].sum().to_numpy() == pytest.approx(1)
    for _, own in rows.groupby("shown"):
        first = own.iloc[0]
        likeliest = [own.nlargest(1, f"p_{model}")["class"].item() for model in ("original", "compressed")]
        assert likeliest == [first["label_original"], first["label_compressed"]]
        assert main(shlex.split(first["command"])[1:]) == 0
        told = capsys.readouterr().out
        assert f"input {first['input']}: {first['true_class']}" in told
        assert f"distortions: {first['distortions']}" in told
        assert f"{first['p_original']:8.4f}  {first['p_compressed']:10.4f}" in told
        assert told.endswith("as recorded\n")


def test_a_number_that_the_file_does_not_have_is_refused(
    tiny_searches: dict[str, list[Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tiny_searches["pso_div"][0])
    for number in ("0", "100000"):
        assert main(["replay", "--number", number, path]) == 2
        assert f"has no number {number}; it holds" in capsys.readouterr().err
    assert main(["replay", "--number", "1", path, path]) == 2
    assert "--number is of one records file" in capsys.readouterr().err


def test_a_channel_that_does_not_exist_is_refused(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match=r"channels.hybridsn: inputs have channels 0 to 12, got \[0, 1, 13\]"):
        draw(tmp_path, tiny_searches["pso_div"], channels={"hybridsn": (0, 1, 13)})
    with pytest.raises(QuantriftError, match="no such searches"):
        draw(tmp_path, [])


def rows(generation: list[int], label: list[int], own: list[int]) -> Arrays:
    """Rows of seed inputs ``own`` with their labels, found in generations; all else is empty."""
    given = {"generation": generation, "true_label": label, "input": own}
    return {name: np.array(given.get(name, [0] * len(own))) for name in COLUMNS}


def test_classes_take_turns() -> None:
    chosen = choose(rows([0] * 7, [2, 2, 2, 2, 0, 0, 1], [*range(7)]), 5, "class", ("x", 0))
    assert chosen["true_label"].tolist() == [0, 1, 2, 0, 2]
    assert len(set(chosen["input"].tolist())) == 5


def test_generations_are_spread_from_the_earliest_to_the_latest() -> None:
    chosen = choose(rows([9, 3, 0, 24, 12, 7, 1], [0] * 7, [5, 5, 1, 2, 3, 4, 6]), 3, "generation", ("x", 0))
    # The earliest of each seed input: 0, 1, 3, 7, 12, 24.
    assert chosen["generation"].tolist() == [0, 3, 24]
    one = choose(rows([9, 3, 0, 24, 12, 7, 1], [0] * 7, [5, 5, 1, 2, 3, 4, 6]), 1, "generation", ("x", 0))
    assert one["generation"].tolist() == [3]
    assert len(choose(rows([], [], []), 1, "generation", ("x", 0))["input"]) == 0


@pytest.mark.parametrize("spread", ["class", "generation"])
def test_no_seed_input_is_shown_twice_and_the_choice_is_the_same_again(spread: str, tiny_searches: dict) -> None:
    everything = load(tiny_searches["pso_div"]).rows
    chosen = choose(everything, 20, spread, ("x", 0))  # type: ignore[arg-type]
    assert len(chosen["input"]) == min(20, len(set(everything["input"].tolist())))
    assert len(set(chosen["input"].tolist())) == len(chosen["input"])
    again = choose(everything, 20, spread, ("x", 0))  # type: ignore[arg-type]
    assert np.array_equal(again["digest"], chosen["digest"])
    nothing = {name: one[:0] for name, one in everything.items()}
    assert len(choose(nothing, 3, spread, ("x", 0))["input"]) == 0  # type: ignore[arg-type]


def test_grey_and_colour_images_are_shown_between_black_and_white() -> None:
    black, white = np.array([-1, -1, 0], np.float32), np.array([1, 3, 1], np.float32)
    stack = images(np.zeros((1, 2, 2, 3)), black=black, white=white)
    pair = np.stack([np.full((2, 2, 3), 1, np.float32), np.full((2, 2, 3), -5, np.float32)])
    assert channels(3, None, "n") == (0, 1, 2)
    assert channels(1, None, "n") == (0,)
    shown = pictures(pair, (0, 1, 2), stack)
    assert shown.shape == (2, 2, 2, 3)
    assert shown[0, 0, 0].tolist() == [1.0, 0.5, 1.0]
    assert not shown[1].any()
    assert pictures(pair, (1,), stack).shape == (2, 2, 2)


def test_equal_values_of_seed_and_distorted_input_have_equal_colours(tiny_scene: ScenePatches) -> None:
    seed = tiny_scene.take([40])[0]
    after = seed.copy()
    after[:3] += 2
    bands = channels(13, None, "n")
    assert bands == (10, 6, 2)
    one, other = pictures(np.stack([seed, after]), bands, tiny_scene)
    assert np.array_equal(one[3:], other[3:])
    assert not np.array_equal(one[:3], other[:3])
    assert 0 <= one.min() <= one.max() <= 1
