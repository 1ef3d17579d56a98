"""Networks of other tasks than classification, from files to a verdict: what is said, written and replayed."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from tests.factories.drawn_shapes import FAULTS, SOUND, shapes, trained
from tests.factories.new_builds import on_given

from quantrift.api import assess as assess_here
from quantrift.cli.main import main
from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.keras_files import save
from quantrift.core.pairs.task import task_of
from quantrift.core.pairs.tasks import function
from quantrift.core.search.records.replaying import replay
from quantrift.judge.verdict.assessment import Limits, read
from quantrift.judge.verdict.new_build import still
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

pytestmark = pytest.mark.slow

TINY = Size(seeds=6, generations=3, queries=20, vectors=3, shrunk=4, layer_inputs=8)
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "regress": {"tolerance": (1.0,), "share": False},
    "multilabel": {},
    # Hardly trained, so scores are low.
    "detect": {"score": 0.15},
}
LABELLED = re.compile(r"label flip|get another label|same label|different labels|likeliest class", re.IGNORECASE)
FAULT = {"regress": "outputs swapped", "multilabel": "outputs swapped", "detect": "classes swapped"}


@pytest.fixture(scope="module", params=SETTINGS)
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A task, and a folder with a network for it, a sound and a broken version of it, and inputs."""
    folder, task = tmp_path_factory.mktemp(request.param), str(request.param)
    model, samples = trained(task, 400, 12), shapes(task, 60, "train").images
    save(model, folder / "model.keras")
    (folder / "int8.tflite").write_bytes(SOUND["int8"](model, samples))
    (folder / "wrong.tflite").write_bytes(FAULTS[task][FAULT[task]](model, samples))
    data = shapes(task, 60, "test")
    write_arrays(folder / "inputs.npz", {"inputs": data.images, "labels": data.truth})
    return task, folder


def test_a_task_is_assessed_reported_and_replayed(
    files: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, folder = files
    out, compressed = tmp_path / "out", [folder / "int8.tflite", folder / "wrong.tflite"]
    settings = Settings(size=TINY, task=task_of(task, SETTINGS[task]), limits=Limits(0.2, 0.5, 0.3))
    found = assess(folder / "model.keras", compressed, folder / "inputs.npz", out, settings)
    assert read(out) == found
    assert found.task.name == task
    sound, wrong = found.candidates
    assert sound.verdict != "fail"
    assert wrong.verdict == "fail"
    assert wrong.clean.parts
    assert wrong.clean.accuracy_original == sound.clean.accuracy_original
    page = (out / "report.html").read_text()
    assert not LABELLED.search(page)
    assert found.task.definition.split(" (")[0] in page.replace("&#39;", "'")
    for one, path in zip(found.candidates, compressed, strict=True):
        for tool in one.tools:
            assert replay(out / tool.records).complete
        for original in (None, folder / "model.keras"):
            again = still(out / one.dii_file, path, original)
            assert on_given(again.judgements) == on_given(one.judgements)
    # A build that repairs everything keeps every limit on what was stored.
    repaired = still(out / wrong.dii_file, folder / "int8.tflite")
    assert repaired.verdict != "fail"
    records = next(out / tool.records for tool in wrong.tools if tool.dii)
    assert main(["replay", "--number", "1", str(records)]) == 0
    said = capsys.readouterr().out
    assert "tolerances; " in said
    assert "as recorded" in said


def test_files_of_other_tasks_are_refused_with_the_task_that_takes_them(
    files: tuple[str, Path], tmp_path: Path
) -> None:
    _, folder = files
    with pytest.raises(QuantriftError, match=r"--task|no whole numbers|one label for each"):
        assess(folder / "int8.tflite", [folder / "int8.tflite"], folder / "inputs.npz", tmp_path / "out", Settings())


def test_a_function_that_fails_or_says_nothing_useful_is_named_with_its_mistake() -> None:
    outputs = {"out": np.zeros((3, 2), np.float32)}
    with pytest.raises(QuantriftError, match="^agreement is what the function 'f' says; give it with --agree f$"):
        function.Settings(function="f")
    function.known("f", lambda one, other: one["in"])
    made = function.Settings(function="f")
    with pytest.raises(QuantriftError, match=r"^f: fails on 3 inputs \(KeyError: 'in'\); correct it$"):
        made.difference(outputs, outputs)
    function.known("f", lambda one, other: one["out"])
    with pytest.raises(QuantriftError, match=r"^f: returns float32 \(3, 2\) for 3 inputs, expected bool or float \(3,"):
        made.difference(outputs, outputs)
    function._known.clear()


def test_a_function_takes_the_place_of_a_task(files: tuple[str, Path], tmp_path: Path) -> None:
    task, folder = files
    images = shapes(task, 20, "test").images

    def alike(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> np.ndarray:
        apart = [np.abs(values - other[name]).reshape(len(values), -1).max(axis=1) for name, values in one.items()]
        return np.max(apart, axis=0)

    out = tmp_path / "out"
    found = assess_here(
        folder / "int8.tflite", folder / "wrong.tflite", images, out, agree=alike, seeds=4, generations=2
    )
    assert found.task.name == "function"
    assert found.candidates[0].clean.accuracy_original is None
    records = out / found.candidates[0].tools[0].records
    assert replay(records).complete
    function._known.clear()
    with pytest.raises(QuantriftError, match="give it with --agree"):
        replay(records)
