"""Stored difference-inducing inputs come back as they were found, and layers are compared on them."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.paths import COMPRESSED, ORIGINAL, Paths
from quantrift.core.networks.layer_comparison import layer_errors
from quantrift.core.networks.layer_errors import SIDES, read_sides, write_sides
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.search.evaluator import digest
from quantrift.core.search.record_columns import switched_on
from quantrift.core.search.records.dii import Found, load
from quantrift.core.search.records.layers_on_dii import compare

Models = tuple[Path, Path]


@pytest.fixture(scope="module")
def files(tiny_searches: dict[str, list[Path]]) -> list[Path]:
    """Records of a search by particle swarm."""
    return tiny_searches["pso_div"]


@pytest.fixture(scope="module")
def found(files: list[Path]) -> Found:
    """What they hold."""
    return load(files)


@pytest.fixture(scope="module")
def models(files: list[Path]) -> Models:
    """The original and the compressed network."""
    paths = Paths(files[0].parents[6])
    return (
        paths.model("tiny", "hybridsn") / ORIGINAL,
        paths.compressed("tiny", "hybridsn", "ptq_int8") / COMPRESSED,
    )


def test_decoded_pairs_are_what_the_search_saw(found: Found, models: Models) -> None:
    seeds, distorted = found.pairs(found.rows)
    assert len(found.rows["input"]) > 20
    assert [digest(one) for one in distorted] == found.rows["digest"].tolist()
    assert np.array_equal(seeds, found.inputs.take(found.rows["input"]))
    original, compressed = (LiteRT(model) for model in models)
    assert np.array_equal(original(distorted).argmax(axis=1), found.rows["label_original"])
    assert np.array_equal(compressed(distorted).argmax(axis=1), found.rows["label_compressed"])
    # Correct on the seed inputs, where both agree.
    assert np.array_equal(original(seeds).argmax(axis=1), found.rows["true_label"])
    assert np.array_equal(compressed(seeds).argmax(axis=1), found.rows["true_label"])


def test_inputs_that_no_distortion_caused_are_left_out(found: Found) -> None:
    assert not found.rows["identity"].any()
    assert not found.rows["seed_disagrees"].any()
    assert np.isfinite(found.rows["psnr"]).all()


def test_switches_have_the_names_of_their_distortions(found: Found) -> None:
    names = found.settings["distortions"]
    assert switched_on(names, 0) == []
    assert switched_on(names, 0b101) == [names[0], names[2]]
    assert switched_on(names, 2 ** len(names) - 1) == names


def test_layers_are_compared_on_both_sides_of_each_input(files: list[Path], found: Found, models: Models) -> None:
    errors = compare(files, *models, count=10_000, seed=0)
    assert tuple(errors) == SIDES
    for side, x in zip(SIDES, found.pairs(found.rows), strict=True):
        assert errors[side] == layer_errors(*models, [x])
        assert errors[side][-1].layer == "output"
        assert {error.inputs for error in errors[side]} == {len(found.rows["input"])}


def test_a_seeded_draw_bounds_how_many_are_compared(files: list[Path], models: Models) -> None:
    some = compare(files, *models, count=7, seed=0)
    assert {error.inputs for side in SIDES for error in some[side]} == {7}
    assert some == compare(files, *models, count=7, seed=0)
    assert some != compare(files, *models, count=7, seed=1)


def test_comparisons_read_back_as_they_were_written(files: list[Path], models: Models, tmp_path: Path) -> None:
    errors = compare(files, *models, count=7, seed=0)
    write_sides(errors, tmp_path / "rq1.json")
    assert read_sides(tmp_path / "rq1.json") == errors
    lines = (tmp_path / "rq1.csv").read_text().splitlines()
    assert lines[0].startswith("on,layer,")
    assert len(lines) == 1 + sum(map(len, errors.values()))


def test_where_nothing_is_stored_nothing_is_compared(files: list[Path], models: Models) -> None:
    nothing = compare(files, *models, count=0, seed=0)
    assert nothing == {side: [] for side in SIDES}
