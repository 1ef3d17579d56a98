"""Bundles of signals, of tables and under a task: outputs of a device get what an assessment of the files gives."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.new_builds import on_given

from quantrift import api
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.networks.runtime import load_runtime, load_values
from quantrift.judge.intake.example import paths
from quantrift.judge.verdict import bundle
from quantrift.judge.verdict.new_build import still

SEEDS, GENERATIONS = 4, 2
SIZE: dict[str, Any] = {"seeds": SEEDS, "generations": GENERATIONS}
WORDS = ["--seeds", str(SEEDS), "--number", str(10 * GENERATIONS)]


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "assessment.json").read_text(encoding="utf-8"))
    return found


def same_as_files(judged: dict[str, Any], whole: dict[str, Any]) -> None:
    """The random sampling of a judgement is that of an assessment, and so are the inputs as given."""
    ours, theirs = judged["candidates"][0], whole["candidates"][0]
    [tool], other = ours["tools"], theirs["tools"][0]
    for name in ("seconds", "records", "shrunk", "layers"):
        del tool[name], other[name]
    assert tool == other
    assert ours["judgements"] == [one for one in theirs["judgements"] if one["tool"] in (None, tool["title"])]
    for name in ("disagreement", "drop", "classes", "accuracy_original", "accuracy_compressed", "parts"):
        assert ours["clean"][name] == theirs["clean"][name]
    assert judged["task"] == whole["task"]
    for name in ("kind", "shape", "classes", "labelled", "range"):
        assert judged["inputs"][name] == whole["inputs"][name]


@pytest.mark.slow
def test_bundles_of_signals_and_tables_are_judged_as_such(measured: tuple[str, Path], tmp_path: Path) -> None:
    kind, folder = measured
    given = ["--original", str(folder / "net.onnx"), "--inputs", str(folder / "x.npz")]
    assert main(["export-inputs", *given, *WORDS, "--out", str(tmp_path / "bundle")]) == 0
    made = bundle.read(tmp_path / "bundle", GivenFiles())[0]
    sent = np.load(tmp_path / "bundle" / "inputs.npy")
    assert made.kind == kind
    assert sent.shape == made.shape
    assert sent.shape[1:] == ((6,) if kind == "table" else (24, 2))
    own = np.setdiff1d(np.arange(len(sent)), [row for row, _ in made.repeats])
    np.testing.assert_array_equal(sent[own[: made.given]], read_arrays(folder / "x.npz")["x"])
    network = load_runtime("onnxruntime", folder / "coarse.onnx")
    np.save(tmp_path / "outputs.npy", network(sent.reshape(len(sent), *network.input_shape)))
    words = [str(tmp_path / "bundle"), str(tmp_path / "outputs.npy"), "--values", "logits"]
    assert main(["judge-outputs", *words, "--out", str(tmp_path / "out")]) in (0, 1, 3)
    api.assess(folder / "net.onnx", folder / "coarse.onnx", folder / "x.npz", tmp_path / "whole", **SIZE)
    judged, whole = results(tmp_path / "out"), results(tmp_path / "whole")
    judged["candidates"][0]["name"] = whole["candidates"][0]["name"]
    same_as_files(judged, whole)
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert ("rows of a table with 6 features" if kind == "table" else "signals of 24 steps and 2 channels") in text


def test_a_bundle_from_before_kinds_were_stated_holds_images(tmp_path: Path) -> None:
    given = ["--original", str(paths().int8), "--inputs", str(paths().inputs), "--seeds", "1", "--number", "2"]
    assert main(["export-inputs", *given, "--out", str(tmp_path / "bundle")]) == 0
    file = tmp_path / "bundle" / "bundle.json"
    stated = json.loads(file.read_text(encoding="utf-8"))
    for name in ("kind", "task", "original_runtime"):
        del stated[name]
    file.write_text(json.dumps(stated), encoding="utf-8")
    made = bundle.read(tmp_path / "bundle", GivenFiles())[0]
    assert (made.kind, made.task, made.original_runtime) == ("image", None, None)


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle under a task, true outputs included, and what the network in 8 bits gives on it."""
    folder = tmp_path_factory.mktemp("task")
    data = read_arrays(paths().inputs)["inputs"][:30]
    truth = load_values("litert", paths().dynamic)(data)
    truth[::5] += 100
    write_arrays(folder / "some.npz", {"inputs": data, "labels": truth})
    given = ["--original", str(paths().dynamic), "--inputs", str(folder / "some.npz"), "--tolerance", "0.19"]
    words = ["export-inputs", *given, "--task", "regress", *WORDS, "--out", str(folder / "bundle")]
    assert main(words) == 0
    values = load_values("litert", paths().int8)(np.load(folder / "bundle" / "inputs.npy"))
    np.save(folder / "outputs.npy", values)
    return folder


@pytest.mark.slow
def test_a_bundle_under_a_task_gets_the_rates_of_an_assessment(sent: Path, tmp_path: Path) -> None:
    made = bundle.read(sent / "bundle", GivenFiles())[0]
    assert made.task is not None
    values = np.load(sent / "outputs.npy")
    write_arrays(tmp_path / "named.npz", split(values, made.task.outputs, made.task.shapes))
    values.tofile(tmp_path / "outputs.raw")
    task = api.task_of("regress", {"tolerance": (0.19,), "share": False})
    api.assess(paths().dynamic, paths().int8, sent / "some.npz", tmp_path / "whole", task=task, **SIZE)
    theirs = read_arrays(tmp_path / "whole" / "int8" / "dii.npz")
    sampled = theirs["tool"] == "image_random"
    for outputs in (sent / "outputs.npy", tmp_path / "named.npz", tmp_path / "outputs.raw"):
        out = tmp_path / f"of_{outputs.suffix[1:]}"
        assert main(["judge-outputs", str(sent / "bundle"), str(outputs), "--out", str(out)]) in (0, 1, 3)
        found = results(out)
        [one] = found["candidates"]
        assert one["tools"][0]["dii"] > 0
        stored = read_arrays(out / one["dii_file"])
        own = stored["tool"] == "image_random"
        for name in ("inputs", "original_outputs", "compressed_outputs", "difference"):
            np.testing.assert_array_equal(stored[name][own], theirs[name][sampled])
        again = still(out / one["dii_file"], paths().int8)
        assert on_given(again.judgements) == [row["text"] for row in one["judgements"] if row["tool"] is None]
        same_as_files(found, results(tmp_path / "whole"))


@pytest.mark.parametrize(
    ("change", "more", "says"),
    [
        ("columns", [], "expected numbers"),
        ("rows", [], "a row of outputs for each input of the bundle"),
        ("nan", [], "NaN or infinity in 1 of"),
        ("order", [], "equal inputs get different outputs"),
        ("", ["--values", "logits"], "takes outputs as they are"),
    ],
)
def test_other_outputs_than_those_of_the_task_are_refused(
    change: str, more: list[str], says: str, sent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = np.load(sent / "outputs.npy")
    if change == "nan":
        values[3, 1] = np.nan
    changed = {"columns": values[:, :3], "rows": values[1:], "order": values[::-1]}.get(change, values)
    np.save(tmp_path / "outputs.npy", changed)
    words = [str(sent / "bundle"), str(tmp_path / "outputs.npy"), "--out", str(tmp_path / "out")]
    assert main(["judge-outputs", *words, *more]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert says in line


def test_outputs_by_wrong_names_are_refused(sent: Path, tmp_path: Path) -> None:
    made = bundle.read(sent / "bundle", GivenFiles())[0]
    assert made.task is not None
    values = np.load(sent / "outputs.npy")
    with pytest.raises(QuantriftError, match=f"has no array '{made.task.outputs[0]}'"):
        made.task.joined({"a": values, "b": values}, len(values), tmp_path / "outputs.npz")
