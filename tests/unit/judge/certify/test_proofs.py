"""Boxes in ``quantrift certify``, on the pair that comes with the package."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.factories.certificates import read

from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import PairFiles
from quantrift.judge.certify import progress
from quantrift.judge.certify.certificate import CLAIM, CLAIM_OF_BOXES
from quantrift.judge.certify.progress import ProgressFile
from quantrift.judge.certify.proof import Proof
from quantrift.judge.intake.example import paths

pytestmark = pytest.mark.slow

FILES = ("certificates.csv", "certificate.json", "counterexamples.npz", "progress.json")


def words(files: dict[str, Path], out: Path, *more: str) -> list[str]:
    named = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    return ["certify", *named, "--range", "0", "1", "--out", str(out), *more]


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_images_of_proven_boxes_get_one_label(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(files, tmp_path, "--neighbourhoods", "linf=2/255,shift=1", "--number", "4")) == 0
    said = capsys.readouterr()
    assert "estimate     linf=2: 64 boxes of 4 inputs" in said.err
    assert "unknown" in said.out
    found = read(tmp_path)
    assert found.claim == CLAIM + CLAIM_OF_BOXES
    [box, shift] = found.neighbourhoods
    assert (box.neighbourhood, box.members, box.proven, box.certified, box.share) == ("linf=2", None, 4, 0, 1)
    assert (shift.proven, shift.certified) == (0, 4)
    table = pd.read_csv(tmp_path / "certificates.csv")
    assert list(table["outcome"]) == ["proven"] * 4 + ["certified"] * 4
    pair = given_pair.load(PairFiles(original=files["original"], compressed=files["compressed"]))
    rng = np.random.default_rng(0)
    for image, label in zip(read_arrays(files["inputs"])["inputs"], table["label_original"][:4], strict=False):
        corners = np.clip(image.astype(int) + rng.choice([-2, 2], (100, *image.shape)), 0, 255)
        said_of = pair((corners / np.float32(255)).astype(np.float32))
        assert (said_of.original.argmax(axis=1) == label).all()
        assert (said_of.compressed.argmax(axis=1) == label).all()


def test_large_boxes_are_unknown_or_refuted_and_counterexamples_are_replayed(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--neighbourhoods", "linf=48,patch=14,brightness=90", "--boxes", "2", "--number", "3")
    assert main(words(files, tmp_path, *asked)) == 1
    table = pd.read_csv(tmp_path / "certificates.csv")
    outcomes = table.groupby("neighbourhood")["outcome"].agg(set)
    assert outcomes["linf=48"] | outcomes["patch=14"] <= {"counterexample", "unknown"}
    assert "counterexample" in outcomes["linf=48"] | outcomes["patch=14"]
    stored = read_arrays(tmp_path / "counterexamples.npz")
    assert len(stored["input"]) == (table["outcome"] == "counterexample").sum()
    assert ((stored["number"] == -1) == (stored["neighbourhood"] != "brightness=90")).all()
    said = given_pair.load(PairFiles(original=files["original"], compressed=files["compressed"]))(stored["inputs"])
    assert np.array_equal(said.original.argmax(axis=1), stored["label_original"])
    assert np.array_equal(said.compressed.argmax(axis=1), stored["label_compressed"])
    capsys.readouterr()
    assert main(words(files, tmp_path, "--replay")) == 0
    moved = stored | {"images": np.roll(stored["images"], 9, axis=1)}
    write_arrays(tmp_path / "counterexamples.npz", moved)
    assert main(words(files, tmp_path, "--replay")) == 1


def test_unknown_is_inconclusive_and_more_boxes_end_as_one_run(files: dict[str, Path], tmp_path: Path) -> None:
    asked = ("--neighbourhoods", "linf=20", "--number", "2")
    assert main(words(files, tmp_path / "parts", *asked, "--boxes", "1")) == 3
    assert read(tmp_path / "parts").verdict == "inconclusive"
    main(words(files, tmp_path / "parts", *asked, "--boxes", "3"))
    main(words(files, tmp_path / "whole", *asked, "--boxes", "3"))
    assert content(tmp_path / "parts") == content(tmp_path / "whole")


def test_a_killed_run_goes_on_to_the_same_files(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--neighbourhoods", "patch=26,shift=1", "--number", "1", "--boxes", "1")
    main(words(files, tmp_path / "whole", *asked))
    with monkeypatch.context() as patched:
        patched.setattr(progress, "PAUSE", 0)
        note = ProgressFile.note

        def killed(self: ProgressFile, name: str, number: int, state: Proof) -> None:
            note(self, name, number, state)
            patched.setattr(ProgressFile, "write", lambda self: None)
            raise SystemExit

        patched.setattr(ProgressFile, "note", killed)
        with pytest.raises(SystemExit):
            main(words(files, tmp_path / "parts", *asked))
    assert json.loads((tmp_path / "parts" / "progress.json").read_text())["states"]["patch=26"]["0"]["decided"] == 1
    main(words(files, tmp_path / "parts", *asked))
    assert content(tmp_path / "parts") == content(tmp_path / "whole")


def test_finite_neighbourhoods_alone_make_no_claim_of_boxes(files: dict[str, Path], tmp_path: Path) -> None:
    main(words(files, tmp_path, "--neighbourhoods", "shift=1", "--number", "1"))
    found = read(tmp_path)
    assert (found.claim, found.boxes) == (CLAIM, None)


def test_networks_without_bounds_are_refused_before_anything_runs(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = files | {"compressed": paths().dynamic}
    assert main(words(given, tmp_path / "out", "--neighbourhoods", "shift=1,linf=1")) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "dynamic.tflite: has " in line
    assert "for which there are no bounds" in line
    assert not (tmp_path / "out").exists()
