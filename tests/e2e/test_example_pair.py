"""The pair that comes with the package can be made again; tutorial and notebook run on it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import nbformat
import numpy as np
import pytest
from tests.factories.new_builds import EXCHANGED, MOVED, with_classes
from tests.factories.places import ROOT
from tools.documents import examples

from quantrift.api import load_pair
from quantrift.cli.main import main
from quantrift.judge.intake import example

pytestmark = pytest.mark.slow
TUTORIAL = (ROOT / "docs" / "tutorial_verdict.md").read_text(encoding="utf-8")
[GATE] = re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_the_pair_is_made_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "tools.make_example", str(tmp_path)], check=True)
    known = example.paths()
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in vars(known).values()}
    assert (tmp_path / known.inputs.name).read_bytes() == known.inputs.read_bytes()
    with np.load(known.inputs, allow_pickle=False) as file:
        inputs = file["inputs"]
    for name in ("int8", "dynamic"):
        file_name = getattr(known, name).name
        again = load_pair(tmp_path / known.original.name, tmp_path / file_name)(inputs)
        before = load_pair(known.original, getattr(known, name))(inputs)
        # On another type of CPU training ends in slightly other weights.
        for one, other in ((again.original, before.original), (again.compressed, before.compressed)):
            assert np.mean(one.argmax(axis=1) == other.argmax(axis=1)) > 0.95


def ran(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of the tutorial in a folder."""
    (folder / "test_gate.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_gate.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_gate_of_the_tutorial_passes(tmp_path: Path) -> None:
    done = ran(tmp_path, GATE)
    assert done.returncode == 0, done.stdout
    assert "2 passed, 1 skipped" in done.stdout


@pytest.mark.parametrize("order", [EXCHANGED, MOVED], ids=["two classes exchanged", "every class another"])
def test_the_gate_of_the_tutorial_fails_a_build_that_gives_its_classes_in_another_order(
    order: tuple[int, ...], tmp_path: Path
) -> None:
    new = with_classes(order, tmp_path / "new.tflite")
    own = f"PAIR = __import__('dataclasses').replace(paths(), int8=Path({str(new)!r}))"
    done = ran(tmp_path, GATE.replace("PAIR = paths()", own))
    assert done.returncode == 1
    assert "FAILED test_gate.py::test_the_verdict_is_pass" in done.stdout


@pytest.fixture(scope="module")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder in which the tutorial's command was run, and what it said."""
    folder = tmp_path_factory.mktemp("readme")
    return folder, examples.TUTORIAL.said(folder)


def test_the_command_of_the_tutorial_passes_the_assessed_build_and_fails_broken_ones(
    assessed: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    [command] = re.findall(r"quantrift (replay .*)", TUTORIAL)
    monkeypatch.chdir(assessed[0])
    pair = example.paths()
    shutil.copy(pair.original, "model.keras")
    shutil.copy(pair.int8, "new.tflite")
    assert main(command.split()) == 0
    for order in (EXCHANGED, MOVED):
        with_classes(order, Path("new.tflite"))
        assert main(command.split()) == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_keeps_its_outputs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("agg")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [one for cell in cells for one in cell.outputs]
    assert any("image/png" in one.get("data", {}) for one in outputs)
    assert not [one for one in outputs if one.output_type == "error" or "steps/s" in one.get("text", "")]
    room: dict[str, Any] = {"__name__": "notebook"}
    monkeypatch.chdir(path.parent)
    for cell in cells:
        exec(cell.source.replace("SEEDS, GENERATIONS = 40, 25", "SEEDS, GENERATIONS = 5, 3"), room)
    if path.stem == "explore_divergence":
        assert room["noise"].result.searches == 5
        assert room["assessment"].verdict in ("pass", "fail", "inconclusive")
    else:
        assert len(room["measured"]) == 14
        assert [axis.get_title() for axis in room["axes"][0]] == ["sim_pavia", "sim_salinas"]
    room["plt"].close("all")
