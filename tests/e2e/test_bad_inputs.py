"""Each bad input ends its job in one line that says what is wrong and what to do, and leaves nothing behind."""

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.io import savemat

from quantrift.cli import job_log
from quantrift.cli.main import main

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]
CUBE = np.random.default_rng(0).integers(1, 1000, (20, 20, 16)).astype(np.uint16)
TRUTH = np.tile(np.arange(1, 5, dtype=np.uint8), (20, 5))
LIBRARY_NEEDS = {"diverget": {"dataset": ["sim_pavia"], "model": ["hybridsn"], "compression": ["ptq_int8"]}}


def with_one(value: float) -> np.ndarray:
    cube = CUBE.astype(np.float64)
    cube[3, 4, 5] = value
    return cube


def rare() -> np.ndarray:
    truth = np.where(TRUTH == 4, 3, TRUTH)
    truth[0, 0] = 4
    return truth


BAD: dict[str, tuple[np.ndarray, np.ndarray, dict[str, Any], list[str]]] = {
    "wrong_digest": (CUBE, TRUTH, {"sha256": "0" * 64}, ["cube.mat: sha256 is ", "replace it by the official file"]),
    "truncated": (CUBE, TRUTH, {"cut": 300}, ["cube.mat: not a MATLAB 5 file (", "fetch it again"]),
    "no_key": (CUBE, TRUTH, {"key": "cub"}, ["cube.mat: has no variable 'cub'; did you mean 'cube'?"]),
    "no_file": (CUBE, TRUTH, {"path": "none.mat"}, ["none.mat: no such file", "set data.mirror or QUANTRIFT_MIRROR"]),
    "other_labels": (CUBE, TRUTH[:10], {}, ["10x20 labels for a scene of 20x20 pixels; name the ground truth of"]),
    "unknown_label": (CUBE, TRUTH + 1, {}, ["holds label 5, but 4 class names are given; name every class"]),
    "nan": (with_one(np.nan), TRUTH, {}, ["cube.mat: 1 values are not finite", "; replace them"]),
    "inf": (with_one(np.inf), TRUTH, {}, ["cube.mat: 1 values are not finite", "; replace them"]),
    "rare_class": (CUBE, rare(), {}, ["class 'd' has 1 labelled inputs, too few", "; change its shares or"]),
}


def put(folder: Path, name: str, array: np.ndarray, changes: dict[str, Any]) -> dict[str, Any]:
    path = folder / f"{name}.mat"
    path.parent.mkdir(parents=True, exist_ok=True)
    savemat(path, {path.stem: array})
    path.write_bytes(path.read_bytes()[: -changes["cut"] if "cut" in changes else None])
    stated = {"path": f"{name}.mat", "key": path.stem, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    return stated | {key: value for key, value in changes.items() if key in stated}


def test_bad_data_stops_its_own_job_alone_in_one_line_that_its_log_keeps(
    snakemake: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror = tmp_path / "mirror"
    datasets = {
        name: {
            "kind": "scene",
            "title": name,
            "class_names": ["a", "b", "c", "d"],
            "cube": put(mirror, f"{name}/cube", cube, changes),
            "ground_truth": put(mirror, f"{name}/gt", truth, {}),
        }
        for name, (cube, truth, changes, _) in (BAD | {"good": (CUBE, TRUTH, {}, [])}).items()
    }
    overlay = tmp_path / "bad.yaml"
    data = {"source": "mirror", "mirror": str(mirror)}
    whole = {"scale": "bad", "data": data, "datasets": datasets, "subjects": LIBRARY_NEEDS, "all": []}
    overlay.write_text(yaml.safe_dump(whole))
    wanted = [f"results/bad/data/{name}/hybridsn.npz" for name in datasets]
    done = snakemake("--keep-going", *wanted, "--configfile", str(overlay))
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("quantrift: ")]
    assert len(lines) == len(BAD)
    for name, (_, _, _, words) in BAD.items():
        [log] = (tmp_path / "results/bad/logs").rglob("rare_class/*.log" if name == "rare_class" else f"{name}.log")
        line = f"quantrift: {job_log.reason(log)} (log: {log.relative_to(tmp_path)})"
        assert line in lines
        assert all(word in line for word in words), (name, line)
        assert "Traceback (most recent call last)" in log.read_text()
    left = {str(path.relative_to(tmp_path / "results/bad")) for path in (tmp_path / "results").rglob("*.npz")}
    assert left == {"data/good/source.npz", "data/good/hybridsn.npz", "data/rare_class/source.npz"}
    assert not (tmp_path / "resources").exists()
    # Said again at the end of the run, and for as long as it is the last one.
    monkeypatch.chdir(tmp_path)
    assert main(["status"]) == 0
    _, *failures = capsys.readouterr().out.splitlines()
    assert sorted(one.split(": ", 1)[1] for one in failures) == sorted(line.split(": ", 1)[1] for line in lines)
    assert [line for line in done.stderr.splitlines() if line.startswith("  failed  ")] == failures


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("scale: mine\nall: []\nall: [models]\n", ["mine.yaml: line 3: 'all' stands twice", "remove or rename"]),
        (
            f"scale: mine\nall: []\nsubjects: {LIBRARY_NEEDS}\nprotocols: {{rq1: {{inputs: 0}}}}\n",
            ["mine.yaml: line 4: 'protocols.rq1.inputs'", "got 0"],
        ),
        ("scale: mine\ndata: {source: net}\n", ["mine.yaml: line 2: 'data.source'", "'auto', 'mirror' or 'official'"]),
        (
            "scale: mine\ndatasets: {mnist: {test_labels: {urls: [ftp://x]}}}\n",
            ["mine.yaml: line 2: 'datasets.mnist.test_labels"],
        ),
    ],
)
def test_a_bad_configuration_is_one_line_before_any_job(
    snakemake: Run, tmp_path: Path, text: str, words: list[str]
) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(text)
    done = snakemake("--configfile", str(overlay))
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("quantrift: ")]
    assert len(lines) == 1
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in lines[0]
    assert not (tmp_path / "results").exists()


def test_a_damaged_network_is_refused_by_the_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(b"\x1c\0\0\0TFL3" + bytes(100))
    assert main(["audit", str(path)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"quantrift audit: {path}: ")
    assert line.endswith("; build it again")
