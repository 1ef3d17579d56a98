"""The gate on a new build: what was stored is run, and nothing that was not run passes."""

from pathlib import Path

import numpy as np
import pytest
from tests.factories.new_builds import EXCHANGED, MOVED, on_given, with_classes, without_numbers

from quantrift.cli.main import main
from quantrift.core.base import table_files
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.search.evaluator import digest
from quantrift.judge.intake.example import paths
from quantrift.judge.verdict import dii_file
from quantrift.judge.verdict.assessment import LIMITS, Assessment, Limits
from quantrift.judge.verdict.new_build import Still, still
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess
from quantrift.judge.verdict.verdict import FEWEST

SMALL = Size(seeds=52, generations=3, queries=60, vectors=3, shrunk=2, layer_inputs=8)
ORIGINAL, INT8 = paths().dynamic, paths().int8
PARTS = ("given.", "changed.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """New builds of the network in 8 bits, and one of its original whose outputs are no numbers."""
    root = tmp_path_factory.mktemp("builds")
    with_classes(EXCHANGED, root / "exchanged.tflite")
    with_classes(MOVED, root / "moved.tflite")
    without_numbers(root / "nan.tflite")
    return root


@pytest.fixture(scope="module")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Assessment]:
    """The ``dii.npz`` of a build that passes, and the assessment."""
    return dii(tmp_path_factory.mktemp("assessed") / "out", LIMITS)


def dii(out: Path, limits: Limits, compressed: Path = INT8, inputs: Path | None = None) -> tuple[Path, Assessment]:
    found = assess(ORIGINAL, [compressed], inputs or paths().inputs, out, Settings(size=SMALL, limits=limits))
    return out / found.candidates[0].dii_file, found


def changed(file: Path, out: Path, **arrays: np.ndarray) -> Path:
    """A copy of a file with other arrays."""
    write_arrays(out, read_arrays(file) | arrays)
    return out


def earlier(file: Path, out: Path) -> Path:
    """A copy of a file as earlier versions wrote it."""
    write_arrays(out, {name: values for name, values in read_arrays(file).items() if not name.startswith(PARTS)})
    return out


def of(found: Still, limit: str) -> list[str]:
    """Verdicts on a limit."""
    return [one.verdict for one in found.judgements if one.limit == limit]


def test_the_build_that_was_assessed_is_run_on_every_input_as_given_and_passes_again(
    assessed: tuple[Path, Assessment],
) -> None:
    file, found = assessed
    again = still(file, INT8)
    assert found.verdict == again.verdict == "pass"
    assert on_given(again.judgements) == on_given(found.candidates[0].judgements)
    assert len(again.rows) == len(again.original)
    assert [one.count for one in again.judgements] == [128, 128, 128]
    assert "run: 128 of 128 inputs as given, 0 disagree" in again.notes
    with_original = still(file, INT8, ORIGINAL)
    assert [one.text for one in with_original.judgements] == [one.text for one in again.judgements]


@pytest.mark.parametrize("build", ["exchanged", "moved", "nan"])
def test_a_build_that_is_wrong_on_inputs_on_which_the_assessed_build_agreed_fails(
    build: str, assessed: tuple[Path, Assessment], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = assessed
    words = ["--original", ORIGINAL, "--compressed", folder / f"{build}.tflite", file]
    assert main(["replay", *map(str, words)]) == 1
    said = capsys.readouterr().out
    for figure in ("disagreement on the inputs as given", "drop in accuracy", "disagreement on valid natural changes"):
        assert f"fail: {figure}" in said
    assert "class '4': " in said
    assert said.endswith("verdict: fail\n")


@pytest.mark.slow
def test_a_file_without_a_stored_disagreement_still_runs_the_inputs_as_given(tmp_path: Path, folder: Path) -> None:
    file, _ = dii(tmp_path / "out", LIMITS, ORIGINAL)
    assert len(read_arrays(file)["inputs"]) == 0
    assert still(file, INT8).verdict == "pass"
    assert still(file, folder / "exchanged.tflite").verdict == "fail"


def test_the_changes_are_valid_ones_that_random_sampling_drew_one_of_each_seed_input(
    assessed: tuple[Path, Assessment],
) -> None:
    file, found = assessed
    stored = read_arrays(file)
    seeds = stored["changed.seed"]
    sampled = stored["search_tool"] == "image_random"
    had_valid = stored["search_input"][sampled & (stored["search_valid"] > 0)]
    assert seeds.tolist() == sorted(had_valid.tolist())
    assert stored["changed.total"] == sampled.sum() == found.candidates[0].tools[0].searches
    given = read_arrays(paths().inputs)["inputs"]
    np.testing.assert_array_equal(stored["given.inputs"] / np.float32(255), given)
    records = file.parents[1] / found.candidates[0].tools[0].records
    rows = table_files.read(records, ["input", "evaluation", "digest", "label_original"])
    for number, label, change in zip(seeds, stored["changed.label_original"], stored["changed.inputs"], strict=True):
        own = rows["input"] == number
        first = rows["evaluation"][own].argmin()
        assert (digest(change), label) == (rows["digest"][own][first], rows["label_original"][own][first])


@pytest.mark.slow
def test_where_not_all_fit_an_even_part_is_run_and_the_interval_is_over_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dii_file, "MEGABYTES", 40 * 28 * 28 / 1e6)
    file, _ = dii(tmp_path / "out", LIMITS)
    found = still(file, INT8)
    assert [one.count for one in found.judgements] == [40, 40, 10]
    assert found.verdict == "inconclusive"
    assert [note.partition(",")[0] for note in found.notes] == [
        "run: 40 of 128 inputs as given",
        "run: one valid natural change (Random sampling) of 10 of 128 seed inputs",
    ]


@pytest.mark.slow
def test_a_limit_on_searches_may_be_exceeded_and_is_never_kept(tmp_path: Path, folder: Path) -> None:
    file, _ = dii(tmp_path / "wide", Limits(max_sr=0.9))
    for build in (INT8, ORIGINAL):
        found = still(file, build)
        assert of(found, "max_sr") == ["inconclusive", "inconclusive"]
        assert found.verdict == "inconclusive"
        assert "a search has to run" in found.judgements[-1].text
    # One change of each seed input of random sampling is stored, and no build that is wrong on all of them keeps this.
    assert of(still(file, folder / "moved.tflite"), "max_sr") == ["fail", "inconclusive"]
    stored = read_arrays(file)
    tight = changed(file, tmp_path / "tight.npz", limit_values=np.where(stored["limit_values"] > 0, 0, np.nan))
    for name, verdict in zip(stored["tool_ids"], of(still(tight, INT8), "max_sr"), strict=True):
        left = set(stored["seed"][stored["tool"] == name])
        assert (verdict == "fail") == (len(left) >= FEWEST)
    assert of(still(tight, ORIGINAL), "max_sr") == ["inconclusive", "inconclusive"]


def test_no_build_passes_by_a_file_of_an_earlier_version(
    assessed: tuple[Path, Assessment], tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = earlier(assessed[0], tmp_path / "earlier.npz")
    for build in (INT8, ORIGINAL, folder / "moved.tflite"):
        assert main(["replay", "--compressed", str(build), str(file)]) == 3
        said = capsys.readouterr().out
        assert "pass:" not in said
        assert "stored neither the inputs as given nor natural changes: they were not run" in said
        assert "assess again to get a gate" in said


@pytest.mark.slow
def test_stored_disagreements_of_an_earlier_version_may_fail_a_build(tmp_path: Path, folder: Path) -> None:
    whole, _ = dii(tmp_path / "out", LIMITS, folder / "moved.tflite")
    file = earlier(whole, tmp_path / "earlier.npz")
    failed = still(file, folder / "moved.tflite")
    assert of(failed, "max_disagreement") == ["fail"]
    assert "at least 100.00 %" in failed.judgements[0].text
    assert of(still(file, folder / "exchanged.tflite"), "max_disagreement") == ["fail"]
    assert still(file, INT8).verdict == "inconclusive"


def test_what_was_not_judged_is_said(assessed: tuple[Path, Assessment], tmp_path: Path) -> None:
    without = changed(assessed[0], tmp_path / "without.npz", labelled=np.array(False))
    assert "drop in accuracy: not judged, as the assessment had no labels" in still(without, INT8).notes
    unlimited = changed(assessed[0], tmp_path / "none.npz", limit_values=np.full(4, np.nan))
    assert "the assessment had no limits, so nothing is judged but lost classes" in still(unlimited, INT8).notes


def test_a_disagreement_on_any_stored_input_counts_where_none_may_be_left(
    assessed: tuple[Path, Assessment], tmp_path: Path, folder: Path
) -> None:
    file, _ = assessed
    stored = read_arrays(file)
    empty = {name: stored[name][:0] for name in ("inputs", "seed_inputs", "seed", "tool", "label_original", "labels")}
    alone = changed(file, tmp_path / "alone.npz", **empty, limit_values=np.full(4, np.nan))
    words = ["replay", "--fail-on-disagreement", "--compressed"]
    assert main([*words, str(ORIGINAL), str(alone)]) == 0
    assert main([*words, str(folder / "moved.tflite"), str(alone)]) == 1


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("given.labels", np.zeros(3, np.int64)),
        ("given.label_original", np.zeros(3, np.int64)),
        ("given.label_original", np.full(128, "four")),
        ("changed.inputs", np.full((2, 28, 28, 1), np.nan, np.float32)),
        ("given.inputs", np.zeros((2, 28, 28), np.uint8)),
        ("limit_names", np.array(["max_speed"] * 4)),
        ("tool_samples", np.zeros(2, bool)),
    ],
)
def test_a_damaged_file_is_one_line(
    name: str, values: np.ndarray, assessed: tuple[Path, Assessment], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = changed(assessed[0], tmp_path / "damaged.npz", **{name: values})
    assert main(["replay", "--compressed", str(INT8), str(file)]) == 2
    assert str(file) in capsys.readouterr().err.strip().splitlines()[-1]
