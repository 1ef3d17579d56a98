"""Functions of signals, of tables and under a task get what their files get, and are asked for what nobody says."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quantrift import api
from quantrift.core.base.archive import read_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.function import FunctionValues
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.networks.runtime import load_runtime, load_values
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_functions import Function, called
from quantrift.judge.intake.input_form import InputForm

SIZE: dict[str, Any] = {"seeds": 4, "generations": 2}
KNOWN_OF_FILES = ("audit", "layers", "layers_note", "model", "name", "records", "dii_file")


def comparable(folder: Path) -> dict[str, Any]:
    """The assessment without what is known of files alone, and without times."""
    whole: dict[str, Any] = json.loads((folder / "assessment.json").read_text(encoding="utf-8"))
    for one in whole["candidates"]:
        for name in KNOWN_OF_FILES:
            del one[name]
        for tool in one["tools"]:
            for name in ("seconds", "layers"):
                del tool[name]
    return {name: whole[name] for name in ("candidates", "verdict", "seeds", "space", "task")} | {
        "kind": whole["inputs"]["kind"]
    }


@pytest.mark.slow
def test_functions_of_signals_and_tables_get_the_verdict_of_their_files(
    measured: tuple[str, Path], tmp_path: Path
) -> None:
    kind, folder = measured
    files: list[Any] = [folder / "net.onnx", folder / "coarse.onnx"]
    networks: list[Any] = [load_runtime("onnxruntime", file) for file in files]
    api.assess(files[0], files[1], folder / "x.npz", tmp_path / "files", **SIZE)
    shapes = set()

    def function(network: Any, name: str) -> Function:
        def run(x: np.ndarray) -> np.ndarray:
            shapes.add(x.shape[1:])
            found: np.ndarray = network(x.reshape(len(x), *network.input_shape))
            return found

        return Function(run, "logits", kind=kind, name=name)  # type: ignore[arg-type]

    # The name of a network is part of some random streams.
    first, second = map(function, networks, ("net", "coarse"))
    found = api.assess(first, second, folder / "x.npz", tmp_path / "functions", **SIZE)
    assert shapes == {(6,) if kind == "table" else (24, 2)}
    assert comparable(tmp_path / "functions") == comparable(tmp_path / "files")
    assert found.inputs.kind == kind
    again = api.replay(tmp_path / "functions", first, second)
    assert again
    assert all(one.complete for one in again.values())
    # Loaded networks say themselves what they take.
    loaded = api.assess(networks[0], networks[1], folder / "x.npz", tmp_path / "loaded", **SIZE)
    assert loaded.candidates[0].judgements == found.candidates[0].judgements


def test_a_signal_of_channels_first_is_given_so() -> None:
    shapes = []

    def run(x: np.ndarray) -> np.ndarray:
        shapes.append(x.shape[1:])
        means: np.ndarray = x.mean(axis=2)
        return means

    given = np.zeros((1, 3, 10), np.float32)
    network = called(Function(run, "logits", layout="channels_first", kind="signal"), given).network
    x = np.random.default_rng(0).random((5, 1, 10, 3), np.float32)
    np.testing.assert_allclose(network(x), x.mean(axis=(1, 2)), rtol=1e-6)
    assert set(shapes) == {(3, 10)}


@pytest.mark.parametrize(
    ("kind", "inputs", "image"),
    [
        ("table", (4,), (1, 1, 4)),
        ("table", (1, 1, 4), (1, 1, 4)),
        ("signal", (9,), (1, 9, 1)),
        ("signal", (9, 2), (1, 9, 2)),
        ("signal", (1, 9, 2), (1, 9, 2)),
        ("image", (5, 4), (5, 4, 1)),
    ],
)
def test_inputs_tell_the_shape(kind: Any, inputs: tuple[int, ...], image: tuple[int, int, int]) -> None:
    function = Function(lambda x: x.reshape(len(x), -1)[:, :2], "logits", kind=kind)
    assert called(function, np.zeros((1, *inputs))).network.input_shape == image


@pytest.mark.parametrize(
    ("given", "space", "says"),
    [
        ({"kind": "signal", "input_shape": (9,)}, None, "input_shape is (9,); give steps and channels"),
        ({"kind": "table", "input_shape": (9, 1)}, None, "input_shape is (9, 1); give features"),
        ({"kind": "table"}, None, "the shape of its inputs is unknown; say input_shape=(features)"),
        ({"kind": "table", "input_shape": (9,)}, "signal_distortions", "takes a table, as was said; leave out space="),
        ({"kind": "text"}, None, "kind is 'text'; say 'image' or 'signal' or 'table'"),
    ],
)
def test_what_does_not_fit_a_kind_is_one_line(given: dict[str, Any], space: str | None, says: str) -> None:
    with pytest.raises(QuantriftError) as error:
        called(Function(lambda x: x, "logits", **given), form=InputForm(space=space))
    assert says in str(error.value)


@pytest.mark.parametrize("settings", [{"tolerance": (0.19,), "share": False}, {"tolerance": (0.005,)}])
@pytest.mark.slow
def test_functions_under_a_task_get_the_verdict_of_their_files(settings: dict[str, Any], tmp_path: Path) -> None:
    task = api.task_of("regress", settings)
    data = read_arrays(paths().inputs)["inputs"][:30]
    files = paths().dynamic, paths().int8
    api.assess(*files, data, tmp_path / "files", task=task, **SIZE)
    values = load_values("litert", files[0]), load_values("litert", files[1])

    def named(network: Any) -> Callable[[np.ndarray], dict[str, np.ndarray]]:
        outputs = network.signature.values
        return lambda x: split(network(x), outputs.names, outputs.shapes)

    networks = (
        Function(named(values[0]), "values", name="dynamic"),
        Function(named(values[1]), "values", name="int8"),
    )
    found = api.assess(*networks, data, tmp_path / "loaded", task=task, **SIZE)
    assert comparable(tmp_path / "loaded") == comparable(tmp_path / "files")
    assert found.candidates[0].tools[0].dii > 0
    outcome = api.replay(tmp_path / "loaded", *networks)
    assert sum(one.rows for one in outcome.values()) > 0
    assert all(one.complete and one.same == "differ as recorded" for one in outcome.values())
    assert not all(one.complete for one in api.replay(tmp_path / "loaded", networks[0], networks[0]).values())
    # A file beside a function, and an agreement of one's own.
    mixed = api.assess(
        files[0], lambda x: {"out": values[1](x)}, data, tmp_path / "mixed", task=task, outputs="values", **SIZE
    )
    assert mixed.candidates[0].tools[0].dii == found.candidates[0].tools[0].dii
    loaded = api.assess(*values, data, tmp_path / "of_values", task=task, **SIZE)
    assert loaded.candidates[0].judgements == found.candidates[0].judgements


def test_functions_may_have_several_outputs_and_an_agreement_of_ones_own(tmp_path: Path) -> None:
    x = np.random.default_rng(0).random((20, 6), np.float32)

    def exact(rows: np.ndarray) -> dict[str, np.ndarray]:
        return {"box": rows[:, :4].reshape(-1, 2, 2), "score": rows[:, 5]}

    def coarse(rows: np.ndarray) -> dict[str, np.ndarray]:
        return {"score": rows[:, 5], "box": np.rint(rows[:, :4] * 4).reshape(-1, 2, 2) / 4}

    def alike(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> np.ndarray:
        assert one["box"].shape[1:] == (2, 2)
        away: np.ndarray = 10 * np.abs(one["box"] - other["box"]).max(axis=(1, 2))
        return away

    both = Function(exact, "values", kind="table"), Function(coarse, "values", kind="table")
    found = api.assess(*both, x, tmp_path / "out", agree=alike, **SIZE)
    [one] = found.candidates
    assert one.clean.disagreeing == (np.abs(np.rint(x[:, :4] * 4) / 4 - x[:, :4]).max(axis=1) > 0.1).sum()
    assert all(replayed.complete for replayed in api.replay(tmp_path / "out", *both).values())


def test_what_a_task_cannot_compare_is_refused(tmp_path: Path) -> None:
    data = read_arrays(paths().inputs)["inputs"][:12]
    task, means = api.task_of("regress", {}), lambda x: x.mean(axis=(1, 2))
    refused: list[tuple[dict[str, Any], str]] = [
        ({"task": task, "outputs": "logits"}, "its outputs are logits, as was said, but a task takes outputs as they"),
        ({"outputs": "values"}, "its outputs are values, as was said, which only a task compares"),
    ]
    for given, says in refused:
        with pytest.raises(QuantriftError, match=says):
            api.assess(means, means, data, tmp_path / "out", **given)
    for wrong, says in (
        (lambda x: {"a": np.array(["one"] * len(x))}, "as 'a', expected numbers"),
        (lambda x: {"a": x[:0]}, "as 'a', expected numbers"),
        (lambda x: {}, "gives nothing for some inputs"),
        (lambda x: {f"a{len(x)}": x}, "give the same outputs each time"),
    ):
        with pytest.raises(QuantriftError, match=says):
            FunctionValues("f", wrong, (4, 4, 1), "values")(np.zeros((3, 4, 4, 1), np.float32))
    assert not (tmp_path / "out").exists()
