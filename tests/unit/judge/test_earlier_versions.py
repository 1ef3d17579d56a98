"""Files and tools of an earlier version open, replay and run unchanged (docs/versions.md)."""

import sys
import tarfile
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from tests.factories.places import CONFIG, ROOT

import quantrift
from quantrift.cli.main import main
from quantrift.core.base import search_parts
from quantrift.core.base.files import read_json
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.judge.intake.example import paths
from quantrift.judge.verdict.assessment import Limits
from quantrift.study.planning.configuration_files import load

pytestmark = pytest.mark.slow


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The folder of a user of the earlier version."""
    with tarfile.open(ROOT / "tests/fixtures/582ea03.tar.xz") as files:
        files.extractall(tmp_path, filter="data")
    return tmp_path


def test_an_assessment_opens_and_its_page_is_made_again(kept: Path) -> None:
    [candidate] = quantrift.read(kept / "assessment").candidates
    assert candidate.name == "dynamic"
    assert candidate.verdict == "inconclusive"
    assert "dynamic" in quantrift.report(kept / "assessment").read_text(encoding="utf-8")


def test_found_disagreements_are_replayed_on_a_new_build(kept: Path) -> None:
    build = ["--original", str(paths().original), "--compressed", str(paths().dynamic)]
    assert main(["replay", *build, str(kept / "assessment/dynamic/dii.npz")]) == 3


def test_records_give_the_same_labels_again(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [file for file in sorted(kept.rglob("seeds_*")) if ".searches." not in file.name]
    assert {file.suffix for file in records} == {".npz", ".parquet"}
    assert main(["replay", *map(str, records)]) == 0
    assert "2 decode to the same input, 2 get the same two labels" in capsys.readouterr().out


def test_a_mending_is_read_and_made_again_in_its_folder(kept: Path) -> None:
    [candidate] = quantrift.read(kept / "mended/assessment").candidates
    assert candidate.verdict == "pass"
    before = read_json(kept / "mended/mend.json")
    quantrift.mend(
        paths().original, paths().int8, paths().inputs, kept / "mended",
        limits=Limits(max_dir=0.9, max_disagreement=0.5, max_accuracy_drop=0.5), changes=1, seeds=6, generations=2,
    )  # fmt: skip
    after = read_json(kept / "mended/mend.json")
    assert (after["verdict"], after["state"]) == (before["verdict"], before["state"])


def test_outputs_for_a_bundle_are_judged(kept: Path) -> None:
    with np.load(kept / "bundle/inputs.npz", allow_pickle=False) as arrays:
        images = arrays[arrays.files[0]]
    np.save(kept / "outputs.npy", LiteRT(paths().int8)(images.astype(np.float32)))
    assert main(["judge-outputs", str(kept / "bundle"), str(kept / "outputs.npy"), "--out", str(kept / "out")]) in (
        1,
        3,
    )
    assert read_json(kept / "out/assessment.json")["candidates"]


def test_a_certificate_and_its_counterexamples_are_replayed(kept: Path) -> None:
    networks = ["--original", str(paths().original), "--compressed", str(paths().int8), "--inputs", str(paths().inputs)]
    assert main(["certify", *networks, "--out", str(kept / "certificates"), "--replay"]) == 0


def test_a_tool_of_another_package_searches(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(kept / "example_tool")
    point = metadata.EntryPoint("searcher.annealing", "quantrift_annealing.annealing", "quantrift.parts")
    monkeypatch.setattr(search_parts, "_added", lambda: (point,))
    monkeypatch.delitem(sys.modules, "quantrift.search.messages", raising=False)
    tool = {"space": "image_distortions", "constraint": "none", "objective": "jensen_shannon", "searcher": "annealing"}
    pair = quantrift.load_pair(paths().original, paths().int8)
    with np.load(paths().inputs, allow_pickle=False) as data:
        found = quantrift.search(pair, data["inputs"], tool=tool, seeds=3, generations=2)
    assert found.result.searches == 3
    # Names of earlier modules take nothing from the face.
    assert callable(quantrift.search)


def test_an_overlay_is_read(kept: Path) -> None:
    assert load(CONFIG, [kept / "sample.yaml"]).scale == "sample"
