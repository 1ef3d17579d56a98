"""Networks under other tasks than classification, mended from Python and by the command."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from tests.factories.drawn_shapes import shapes, trained

from quantrift import api
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.files import read_json
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx
from quantrift.core.pairs.task import task_of
from quantrift.core.statistics.mended_networks import WHOLE
from quantrift.judge.verdict.assessment import read
from quantrift.study.board.public_quantizers import onnx_static

pytestmark = pytest.mark.slow

SETTINGS: Mapping[str, Mapping[str, object]] = {
    "regress": {"tolerance": (1.0,), "share": False},
    "detect": {"score": 0.15},
}


@pytest.fixture(scope="module", params=SETTINGS)
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A task, and a folder with a network for it, one whose ranges were measured on dark images, and inputs."""
    folder, task = tmp_path_factory.mktemp(request.param), str(request.param)
    model, samples = trained(task, 400, 12), shapes(task, 60, "train").images
    (folder / "original.onnx").write_bytes(to_onnx(model))
    dark = onnx_static((folder / "original.onnx").read_bytes(), (0.1 * samples).astype(np.float32))
    (folder / "dark.onnx").write_bytes(dark)
    data = shapes(task, 200, "test")
    write_arrays(folder / "inputs.npz", {"inputs": data.images, "labels": data.truth})
    return task, folder


def test_ranges_of_dark_images_are_mended_under_a_task(files: tuple[str, Path], tmp_path: Path) -> None:
    task, folder = files
    found = api.mend(
        folder / "original.onnx",
        folder / "dark.onnx",
        folder / "inputs.npz",
        tmp_path / "out",
        limits=api.Limits(max_dir=0.2, max_sr=None, max_disagreement=0.2, max_accuracy_drop=None),
        task=task_of(task, SETTINGS[task]),
        seeds=10,
        generations=3,
    )
    assert found.state == "quantized anew"
    assert found.verdict != "fail"
    by_name = {one.network: one.rate for one in found.fresh}
    assert by_name["as given"].value > max(0.1, 2 * by_name[WHOLE].value)  # type: ignore[operator]
    assert any(line.startswith(f"agreement ({task})") for line in found.assumed)
    judged = read(tmp_path / "out" / "assessment")
    assert judged.task.name == task
    assert judged.candidates[0].clean.accuracy_original is not None
    seconds = read_json(tmp_path / "out" / "mend.timing.json")["seconds"]
    # The original runs, where it stands for its own agreement too.
    assert 0.05 < seconds["original"] / seconds["as given"] < 20


def test_the_command_has_the_options_of_tasks(
    files: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, folder = files
    numbers = {"regress": ["--tolerance", "1"], "detect": ["--score", "0.15"]}[task]
    given = ["--original", folder / "original.onnx", "--compressed", folder / "original.onnx"]
    few = read_arrays(folder / "inputs.npz")["inputs"][:80]
    write_arrays(tmp_path / "few.npz", {"inputs": few})
    rest = ["--inputs", tmp_path / "few.npz", "--seeds", "5", "--generations", "2", "--out", tmp_path / "out"]
    limits = ["--max-disagreement", "20%", "--max-dir", "30%"]
    assert main(["mend", "--task", task, *numbers, *map(str, given + rest), *limits]) == 0
    assert "pass" in capsys.readouterr().out
