"""The command ``quantrift certify`` on the pair that comes with the package."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories.certificates import read

import quantrift
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256
from quantrift.core.base.moved_files import COMMIT, alone_in
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import PairFiles
from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.judge.certify import progress, run
from quantrift.judge.certify.asked_neighbourhoods import Settings
from quantrift.judge.certify.enumeration import State
from quantrift.judge.certify.loaded_subject import Files, loaded
from quantrift.judge.certify.progress import ProgressFile
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.input_form import InputForm

FILES = ("certificates.csv", "certificate.json", "counterexamples.npz", "progress.json")
DARK = "brightness=90"


def words(files: dict[str, Path], out: Path, *more: str) -> list[str]:
    named = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    return ["certify", *named, "--range", "0", "1", "--out", str(out), *more]


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_python_gets_the_certificate_that_the_command_writes(files: dict[str, Path], tmp_path: Path) -> None:
    main(words(files, tmp_path / "command", "--neighbourhoods", DARK, "--number", "3"))
    stored = read_arrays(files["inputs"])
    found = quantrift.certify(
        files["original"].read_bytes(), files["compressed"], stored["inputs"], tmp_path / "python", DARK,
        labels=stored["labels"], form=InputForm(range=(0.0, 1.0)), number=3,
    )  # fmt: skip
    assert found.verdict == read(tmp_path / "command").verdict == "fail"
    for name in ("certificates.csv", "counterexamples.npz"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "command" / name).read_bytes()
    with pytest.raises(QuantriftError, match="compressed is a function, of whose arithmetic nothing is known"):
        quantrift.certify(files["original"], lambda x: x, files["inputs"], tmp_path / "no", DARK)


def test_outcomes_are_those_of_both_networks_on_every_image(files: dict[str, Path], tmp_path: Path) -> None:
    assert main(words(files, tmp_path / "out", "--neighbourhoods", DARK, "--number", "6")) == 1
    table = pd.read_csv(tmp_path / "out" / "certificates.csv")
    pair = given_pair.load(PairFiles(original=files["original"], compressed=files["compressed"]))
    images = read_arrays(files["inputs"])["inputs"][:6]
    offsets = sorted(range(-90, 91), key=lambda offset: (abs(offset), offset))
    for image, row in zip(images, table.itertuples(), strict=True):
        members = np.stack([np.clip(image.astype(int) + offset, 0, 255) for offset in offsets])
        said = pair((members / np.float32(255)).astype(np.float32))
        first, second = said.original.argmax(axis=1), said.compressed.argmax(axis=1)
        assert (row.label_original, row.label_compressed) == (first[0], second[0])
        wrong = np.flatnonzero(first != second)
        assert row.outcome == ("counterexample" if len(wrong) else "certified")
        if len(wrong):
            assert row.counterexample == wrong[0]
            assert row.parameters == f"levels={offsets[wrong[0]]}"
            assert row.counterexample_original == first[wrong[0]]
            assert row.counterexample_compressed == second[wrong[0]]
    assert {"certified", "counterexample"} == set(table["outcome"])


def test_a_certificate_says_what_is_proven_about_what(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(files, tmp_path, "--neighbourhoods", "contrast=0.1:0.05,shift=1", "--number", "3")) == 0
    found = read(tmp_path)
    assert found.original.run_sha256 == sha256(files["original"])
    assert found.compressed.given.sha256 == sha256(files["compressed"])
    assert found.inputs.sha256 == sha256(files["inputs"])
    assert (found.original.runtime, found.compressed.runtime) == ("litert", "litert")
    assert {"ai-edge-litert", "numpy", "python"} <= set(found.versions)
    assert found.processor["model"]
    [contrast, shift] = found.neighbourhoods
    assert (contrast.neighbourhood, contrast.members, contrast.certified) == ("contrast=0.1:0.05", 5, 3)
    assert (shift.share, shift.low, shift.high) == (1, *clopper_pearson(1, 3))
    said = capsys.readouterr()
    assert "3 of 3 (100.0 %)" in said.out
    assert "estimate     shift=1: 27 members of 3 inputs" in said.err


def test_a_budget_leaves_it_undecided_and_a_later_run_goes_on(files: dict[str, Path], tmp_path: Path) -> None:
    asked = ("--neighbourhoods", "contrast=0.1:0.01", "--number", "2")
    assert main(words(files, tmp_path / "parts", *asked, "--budget", "5")) == 3
    assert set(pd.read_csv(tmp_path / "parts" / "certificates.csv")["enumerated"]) == {5}
    assert main(words(files, tmp_path / "parts", *asked, "--budget", "5", "--inconclusive", "pass")) == 0
    assert main(words(files, tmp_path / "parts", *asked)) == 0
    assert main(words(files, tmp_path / "whole", *asked)) == 0
    assert content(tmp_path / "parts") == content(tmp_path / "whole")


def test_results_of_a_run_killed_as_they_moved_come_whole_at_the_next_start(
    files: dict[str, Path], tmp_path: Path
) -> None:
    out, after = tmp_path / "out", tmp_path / "after"
    results = FILES[:3]
    for folder, number in ((out, "2"), (after, "3")):
        assert main(words(files, folder, "--neighbourhoods", "shift=1", "--number", number)) == 0
    (out / COMMIT / "earlier").mkdir(parents=True)
    # Of three old files one is away and of three new ones none is there yet: the process was killed in between.
    shutil.copytree(after, out / COMMIT / "new", ignore=lambda _, names: {*names} - {*results})
    (out / results[0]).rename(out / COMMIT / "earlier" / results[0])
    given = Files(files["original"], files["compressed"], files["inputs"], form=InputForm(range=(0, 1)))
    with pytest.raises(RuntimeError), loaded(given) as subject:
        # Whatever comes of the next start.
        run.of_subject(subject, out, Settings("shift=1", 1), announce=_fails)
    assert [(out / name).read_bytes() for name in results] == [(after / name).read_bytes() for name in results]
    assert not (out / COMMIT).exists()


def _fails(_: object) -> None:
    raise RuntimeError


@pytest.mark.parametrize("batches", [1, 2, 5])
def test_a_killed_run_goes_on_to_the_same_files(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    asked = ("--neighbourhoods", f"{DARK},shift=1", "--number", "4")
    main(words(files, tmp_path / "whole", *asked))
    with monkeypatch.context() as patched:
        patched.setattr(progress, "PAUSE", 0)
        note = ProgressFile.note
        noted: list[int] = []

        def killed(self: ProgressFile, neighbourhood: str, number: int, state: State) -> None:
            if len(noted) == batches:
                # What a killed process would have done at its end does not happen.
                patched.setattr(ProgressFile, "write", lambda self: None)
                raise SystemExit
            noted.append(number)
            note(self, neighbourhood, number, state)

        patched.setattr(ProgressFile, "note", killed)
        with pytest.raises(SystemExit):
            main(words(files, tmp_path / "parts", *asked))
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == ["progress.json"]
    left = json.loads((tmp_path / "parts" / "progress.json").read_text())["states"]
    assert 1 <= sum(map(len, left.values())) <= batches
    main(words(files, tmp_path / "parts", *asked))
    assert content(tmp_path / "parts") == content(tmp_path / "whole")


def test_more_inputs_and_neighbourhoods_keep_what_was_done(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(words(files, tmp_path, "--neighbourhoods", "shift=1", "--number", "2"))
    ran: list[int] = []
    monkeypatch.setattr(ProgressFile, "note", lambda self, name, number, state: ran.append(number))
    main(words(files, tmp_path, "--neighbourhoods", "shift=1", "--number", "3"))
    assert ran == [2]


@pytest.mark.slow
def test_stored_counterexamples_are_replayed(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(files, tmp_path, "--neighbourhoods", f"{DARK},shift=1+{DARK}")) == 1
    count = len(read_arrays(tmp_path / "counterexamples.npz")["input"])
    assert count > 1
    capsys.readouterr()
    assert main(words(files, tmp_path, "--replay")) == 0
    assert f"{count} counterexamples, {count} are the same image, {count} get the same two labels" in (
        capsys.readouterr().out
    )
    assert main(words(files | {"compressed": files["original"]}, tmp_path, "--replay")) == 1
    assert "on 0 the networks disagree" in capsys.readouterr().out


@pytest.mark.parametrize(
    "changed",
    [
        {"parameters": np.full((1, 4), 99.0)},
        {"parameters": np.empty((0, 4))},
        {"neighbourhood": np.array(["pixel,shift"])},
        {"neighbourhood": np.array(["nothing"])},
        {"input": np.array([8])},
        {"images": np.zeros((1, 3, 3, 1), np.uint8)},
    ],
)
def test_damaged_counterexamples_are_refused_in_one_line(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, np.ndarray]
) -> None:
    whole = {
        "images": np.zeros((1, 28, 28, 1), np.uint8),
        "input": np.array([0]),
        "neighbourhood": np.array(["pixel"]),
        "parameters": np.zeros((1, 4)),
        "label_original": np.array([0]),
        "label_compressed": np.array([0]),
    }
    write_arrays(tmp_path / "counterexamples.npz", whole | changed)
    assert main(words(files, tmp_path, "--replay")) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("quantrift certify: ")


def test_counterexamples_are_inputs_as_the_networks_take_them(files: dict[str, Path], tmp_path: Path) -> None:
    main(words(files, tmp_path, "--neighbourhoods", DARK))
    stored = read_arrays(tmp_path / "counterexamples.npz")
    said = given_pair.load(PairFiles(original=files["original"], compressed=files["compressed"]))(stored["inputs"])
    assert np.array_equal(said.original.argmax(axis=1), stored["label_original"])
    assert np.array_equal(said.compressed.argmax(axis=1), stored["label_compressed"])
    assert (stored["label_original"] != stored["label_compressed"]).all()
    assert np.array_equal(stored["given"], read_arrays(files["inputs"])["inputs"][stored["input"]])


def test_an_interrupt_says_how_to_go_on(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.Work, "estimate", interrupted)
    assert main(words(files, tmp_path, "--neighbourhoods", "shift=1")) == 130
    assert "the same command goes on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--neighbourhoods", "brigtness"), "did you mean 'brightness'?"),
        (("--neighbourhoods", "shift=0"), "give a whole number from 1 to 27"),
        (("--neighbourhoods", "shift=²"), "give a whole number from 1 to 27"),
        (("--neighbourhoods", "rotation=30"), "give REACH:STEP"),
        (("--neighbourhoods", "rotation=30:7"), "multiple of the step"),
        (("--neighbourhoods", "contrast=NaN:1"), "give REACH:STEP"),
        (("--neighbourhoods", "pixel=3"), "takes no number"),
        (("--neighbourhoods", "shift,shift=2"), "stands there twice"),
        (("--neighbourhoods", "pixel+pixel"), "more than 100,000,000"),
        (("--neighbourhoods", "dropout=28"), "more than 100,000,000"),
        (("--neighbourhoods", "shift", "--number", "9"), "holds 8 inputs"),
        (("--neighbourhoods", "shift", "--budget", "0"), "--budget is 0"),
        (("--neighbourhoods", "shift", "--replay"), "not both"),
        (("--neighbourhoods", "linf=0"), "give a whole number from 1 to 255"),
        (("--neighbourhoods", "linf=4/256"), "give a whole number from 1 to 255"),
        (("--neighbourhoods", "patch=29"), "give a whole number from 1 to 28"),
        (("--neighbourhoods", "linf=2,linf=2/255"), "stands there twice"),
        (("--neighbourhoods", "shift=1+linf=1"), "goes with no other"),
        (("--neighbourhoods", "linf=1", "--boxes", "0"), "--boxes is 0"),
        ((), "not both"),
        (("--replay",), "counterexamples.npz"),
    ],
)
def test_bad_input_gets_one_line(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], said: str
) -> None:
    assert main(words(files, tmp_path, *more)) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("quantrift certify: ")
    assert said in line


def test_a_folder_of_something_else_is_refused_and_stays(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--neighbourhoods", "shift=1", "--number", "1")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert main(words(files, tmp_path / "mine", *asked)) == 2
    main(words(files, tmp_path / "out", *asked))
    before = content(tmp_path / "out")
    other = tmp_path / "other.tflite"
    shutil.copyfile(paths().dynamic, other)
    assert main(words(files | {"compressed": other}, tmp_path / "out", *asked)) == 2
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "progress.json").write_text("{")
    assert main(words(files, tmp_path / "damaged", *asked)) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("quantrift certify: ")]
    assert ["other files" in lines[0], "as other compressed made" in lines[1], "damaged" in lines[2]] == [True] * 3
    assert content(tmp_path / "out") == before


def test_a_second_run_in_the_same_folder_is_refused_in_one_line(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--neighbourhoods", "shift=1", "--number", "1")
    with alone_in(tmp_path / "out"):
        assert main(words(files, tmp_path / "out", *asked)) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "another run is writing to it" in line
    assert main(words(files, tmp_path / "out", *asked)) == 0


def test_numbers_on_no_grid_are_refused(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = tmp_path / "inputs.npz"
    write_arrays(inputs, {"inputs": np.random.default_rng(0).random((4, 28, 28, 1), np.float32)})
    assert main(words(files | {"inputs": inputs}, tmp_path / "out", "--neighbourhoods", "shift")) == 2
    assert "no images of 8 bits" in capsys.readouterr().err


@pytest.mark.parametrize("state", [{"counterexample": 10**6}, {"enumerated": -1}, {"distinct": "x"}])
def test_states_that_no_run_leaves_are_refused(
    files: dict[str, Path], tmp_path: Path, state: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--neighbourhoods", "shift=1", "--number", "1")
    main(words(files, tmp_path / "out", *asked))
    progress = tmp_path / "out" / "progress.json"
    held = json.loads(progress.read_text())
    held["states"]["shift=1"]["0"] |= state
    progress.write_text(json.dumps(held))
    capsys.readouterr()
    assert main(words(files, tmp_path / "out", *asked)) == 2
    assert f"{progress}: damaged (" in capsys.readouterr().err.splitlines()[-1]
