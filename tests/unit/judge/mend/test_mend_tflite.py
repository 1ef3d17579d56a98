"""The command ``quantrift mend`` on .tflite files, with faults planted into the pair that comes with the package."""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from keras import layers
from tests.factories.digit_networks import LIMITS
from tests.factories.networks import chain
from tests.factories.places import ROOT

from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays
from quantrift.core.base.files import read_json
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.graphs.choices import LAYOUT, at_end, with_note
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_networks import original
from quantrift.judge.mend.builder import Manner, builder, module
from quantrift.judge.mend.mending import read
from quantrift.judge.mend.ranges import Measured

pytestmark = pytest.mark.slow

quantizer = pytest.importorskip("ai_edge_quantizer.quantizer", reason="needs the extra mend")

FEW = ("--seeds", "40", "--generations", "2", "--no-compare")
TIMES = 150


def edited(content: bytes, change: Callable[[Any], None]) -> bytes:
    """A .tflite file after a change of its object form."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    change(model)
    made = flatbuffers.Builder(len(content))
    made.Finish(model.Pack(made), b"TFL3")
    return bytes(made.Output())


def second_convolution(model: Any) -> tuple[Any, Any]:
    """Weights and bias of the second convolution."""
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    graph = model.subgraphs[0]
    found = [one for one in graph.operators if codes[one.opcodeIndex] == schema.BuiltinOperator.CONV_2D]
    return graph.tensors[found[1].inputs[1]], graph.tensors[found[1].inputs[2]]


def blown_up(model: Any) -> None:
    """One channel, which is 0 behind its ReLU, has far larger weights than the others."""
    weights, bias = second_convolution(model)
    for tensor, of_channel in ((weights, None), (bias, 0.0)):
        stored = np.asarray(model.buffers[tensor.buffer].data, np.uint8).tobytes()
        values = np.frombuffer(stored, np.float32).reshape(tensor.shape).copy()
        values[2] = -TIMES * np.abs(values[:2]).max() if of_channel is None else of_channel
        model.buffers[tensor.buffer].data = np.frombuffer(values.tobytes(), np.uint8)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The example's original in TensorFlow Lite, and pairs with faults."""
    folder = tmp_path_factory.mktemp("files")
    with ForeignFiles() as reader:
        original(paths().original, folder, reader)
    found = {"original": folder / "original.tflite", "inputs": paths().inputs}
    # The example of the page makes its broken network itself.
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "mending.md").read_text(encoding="utf-8"), re.DOTALL)
    with contextlib.chdir(folder):
        exec(compile(code, "mending.md", "exec"), {})
    found |= {name: folder / f"{name}.tflite" for name in ("scaled", "blown_up", "per_tensor")}
    found["blown_up"].write_bytes(edited(found["original"].read_bytes(), blown_up))
    made = builder(found["blown_up"], "litert", Manner(per_channel=False, float_border=True))
    values = made.values(read_arrays(paths().inputs)["inputs"][:64].astype(np.float32))
    ranges = Measured(lambda: [values])["min-max"]
    found["per_tensor"].write_bytes(made.build((), ranges))
    return found


def test_what_was_noted_on_a_network_stays_when_it_is_quantized(files: dict[str, Path], tmp_path: Path) -> None:
    noted = tmp_path / "noted.tflite"
    noted.write_bytes(with_note(files["original"].read_bytes(), ".tflite", LAYOUT, "channels_last"))
    made = builder(noted, "litert", Manner(per_channel=True, float_border=True))
    values = made.values(read_arrays(paths().inputs)["inputs"][:8].astype(np.float32))
    assert at_end(made.build((), Measured(lambda: [values])["min-max"]))[1] == {LAYOUT: "channels_last"}


def words(files: dict[str, Path], first: str, second: str, out: Path) -> list[str]:
    given = {"--original": files[first], "--compressed": files[second], "--inputs": files["inputs"], "--out": out}
    return ["mend", *(word for option, path in given.items() for word in (option, str(path))), *LIMITS, *FEW]


def labels(path: Path, x: np.ndarray) -> np.ndarray:
    return LiteRT(path)(x).argmax(axis=1)


def test_the_wrong_scale_of_the_tutorial_is_mended_by_quantizing_anew_with_nothing_in_float(
    files: dict[str, Path], tmp_path: Path
) -> None:
    x = read_arrays(paths().inputs)["inputs"].astype(np.float32)
    assert (labels(files["scaled"], x) != labels(files["original"], x)).mean() > 0.1
    assert main(words(files, "original", "scaled", tmp_path / "out")) == 0
    found = read(tmp_path / "out")
    assert (found.state, found.kept, found.quantizer) == ("quantized anew", [], "ai-edge-quantizer")
    assert audit(tmp_path / "out" / "mended.tflite")["int8_mac_share"] == 1


def test_a_layer_that_one_scale_cannot_hold_goes_back_to_float(files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(words(files, "blown_up", "per_tensor", out)) == 0
    found = read(out)
    assert (found.state, found.weights) == ("mended", "tensor")
    assert [one.network for one in found.fresh] == ["as given", "all in 8 bits", "mended"]
    assert "conv2" in found.kept
    assert len(found.kept) < (found.units or 0)
    # So small a network is larger with two of three layers in float than with three.
    assert (out / "mended.tflite").stat().st_size > (out / "float.tflite").stat().st_size
    assert any(note.endswith("bytes with every unit in float: nothing is gained by it") for note in found.notes)
    kinds = {op["tensor"]: op["weights"] for op in audit(out / "mended.tflite")["ops"] if op["macs"]}
    floats = {name for name, kind in kinds.items() if kind == "FLOAT32"}
    told = read_json(out / "recipe.json")
    assert floats <= {name for names in told["in_float"].values() for name in names}
    assert len(floats) == len(found.kept)
    # By the library alone, from what lies in the folder.
    ranks = {name: len(shape) for name, shape in shapes(out / "float.tflite").items()}
    ranges = {
        name: {"min": np.full((1,) * ranks[name], low), "max": np.full((1,) * ranks[name], high)}
        for name, (low, high) in read_json(out / "ranges.json").items()
    }
    again = quantizer.Quantizer(str(out / "float.tflite"), told["recipe"]).quantize(ranges)
    assert bytes(again.quantized_model) == (out / "mended.tflite").read_bytes()


def test_the_size_of_weights_counts_those_of_large_networks_which_lie_behind_the_table(tmp_path: Path) -> None:
    model = chain((8, 8, 4), layers.Conv2D(32, 3, activation="relu"), layers.Flatten(), layers.Dense(256))
    (tmp_path / "float.tflite").write_bytes(to_tflite(model))
    made = builder(tmp_path / "float.tflite", "litert", Manner(per_channel=True, float_border=True))
    values = made.values(np.random.default_rng(0).random((8, 8, 8, 4), np.float32))
    ranges = Measured(lambda: [values])["min-max"]
    kernels, biases = 9 * 4 * 32 + 6 * 6 * 32 * 256, 32 + 256
    # Biases of layers in 8 bits are 32-bit integers whatever is kept, and count nowhere.
    assert made.weights(made.build((), ranges)) == 8 * kernels
    in_float = made.weights(made.build([unit.name for unit in made.units], ranges))
    assert 32 * kernels <= in_float <= 32 * (kernels + biases)


def shapes(path: Path) -> dict[str, list[int]]:
    """Shape of each tensor of a file."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
    return {tensor.name.decode(): list(tensor.shape) for tensor in model.subgraphs[0].tensors}


@pytest.mark.parametrize(("per_channel", "float_border"), [(True, True), (True, False), (False, True), (False, False)])
def test_files_are_made_in_the_manner_that_is_asked_for(
    files: dict[str, Path], tmp_path: Path, per_channel: bool, float_border: bool
) -> None:
    manner = Manner(per_channel, float_border)
    made = builder(files["original"], "litert", manner)
    x = read_arrays(paths().inputs)["inputs"].astype(np.float32)
    ranges = Measured(lambda: [made.values(x[:64])])["min-max"]
    path = tmp_path / "made.tflite"
    path.write_bytes(made.build((), ranges))
    assert module("litert").manner(path) == manner
    assert made.macs(path.read_bytes())[0] == audit(path)["macs"] > 0
    assert (labels(path, x) != labels(files["original"], x)).mean() < 0.05
    path.write_bytes(made.build([unit.name for unit in made.units], ranges))
    assert made.macs(path.read_bytes())[0] == 0


@pytest.mark.parametrize("float_border", [True, False])
def test_units_in_16_bits_have_activations_in_16_bits_and_weights_in_8(
    files: dict[str, Path], tmp_path: Path, float_border: bool
) -> None:
    made = builder(files["original"], "litert", Manner(per_channel=True, float_border=float_border, in_16_bits=True))
    x = read_arrays(paths().inputs)["inputs"].astype(np.float32)
    ranges = Measured(lambda: [made.values(x[:64])])["min-max"]
    path, whole = tmp_path / "made.tflite", made.build((), ranges)
    path.write_bytes(made.build([unit.name for unit in made.units], ranges))
    ops = [op for op in audit(path)["ops"] if op["macs"]]
    assert {(op["input"], op["weights"], op["output"]) for op in ops} == {("INT16", "INT8", "INT16")}
    assert made.macs(path.read_bytes())[0] == 0
    assert made.weights(path.read_bytes()) == made.weights(whole)
    assert module("litert").manner(path).float_border == float_border
    original = LiteRT(files["original"])(x)
    errors = [np.abs(LiteRT(path)(x) - original).mean()]
    path.write_bytes(whole)
    errors.append(np.abs(LiteRT(path)(x) - original).mean())
    assert errors[0] < errors[1]
