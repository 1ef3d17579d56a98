"""Networks in .onnx files that take and give 16-bit floats, as converters leave them by default."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.layer_comparison import layer_errors
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime
from quantrift.core.networks.runtimes.onnxruntime_unoptimized import Unoptimized
from quantrift.core.search.records.replaying import replay
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
node = onnx.helper.make_node
HALF, FLOAT, DOUBLE, INT64 = (getattr(onnx.TensorProto, one) for one in ("FLOAT16", "FLOAT", "DOUBLE", "INT64"))
NUMBERS: dict[int, Any] = {HALF: np.float16, FLOAT: np.float32, DOUBLE: np.float64}
RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(4, 3, 3, 3))
IMAGES = RNG.random((7, 6, 5, 3), np.float32)


def written(path: Path, ends: int, inside: int, nodes: list[Any] | None = None, result: int | None = None) -> Path:
    """A convolution and a mean over it, from ``x`` (n, 3, 6, 5) to ``y`` (n, 4), which computes with ``inside``."""
    body = [
        node("Cast", ["x"], ["seen"], to=inside),
        node("Conv", ["seen", "w"], ["features"]),
        node("GlobalAveragePool", ["features"], ["mean"]),
        node("Flatten", ["mean"], ["logits"]),
    ]
    body += nodes or [node("Cast", ["logits"], ["y"], to=ends)]
    value = onnx.helper.make_tensor_value_info
    result = ends if result is None else result
    graph = onnx.helper.make_graph(
        body,
        "network",
        [value("x", ends, ["n", 3, 6, 5])],
        [value("y", result, ["n"] if result == INT64 else ["n", 4])],
        [onnx.numpy_helper.from_array(WEIGHTS.astype(NUMBERS[inside]), "w")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("inside", [HALF, FLOAT])
@pytest.mark.parametrize("ends", [HALF, DOUBLE])
def test_floats_of_other_widths_go_in_and_come_out_as_float32(tmp_path: Path, ends: int, inside: int) -> None:
    path = written(tmp_path / "n.onnx", ends, inside)
    network = ONNXRuntime(path)
    given = np.moveaxis(IMAGES, 3, 1).astype(NUMBERS[ends])
    [expected] = onnxruntime.InferenceSession(str(path)).run(None, {"x": given})
    assert expected.dtype == NUMBERS[ends]
    found = network(IMAGES)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected.astype(np.float32))
    assert (network.signature.image, network.signature.first) == ((6, 5, 3), True)


@pytest.mark.parametrize("runtime", [ONNXRuntime, Unoptimized])
def test_results_in_16_bits_do_not_depend_on_the_number_of_inputs(tmp_path: Path, runtime: type[ONNXRuntime]) -> None:
    file = onnx.load(written(tmp_path / "n.onnx", HALF, HALF))
    # One row of a large product takes another kernel than several.
    weights = RNG.normal(size=(48, 96)).astype(np.float16), RNG.normal(size=(96, 4)).astype(np.float16)
    file.graph.initializer.extend(map(onnx.numpy_helper.from_array, weights, ("wide", "narrow")))
    del file.graph.node[2:]
    file.graph.node.append(node("Flatten", ["features"], ["flat"]))
    file.graph.node.append(node("MatMul", ["flat", "wide"], ["between"]))
    file.graph.node.append(node("MatMul", ["between", "narrow"], ["y"]))
    onnx.save(file, tmp_path / "n.onnx")
    network = runtime(tmp_path / "n.onnx")
    many = np.random.default_rng(1).random((210, 6, 5, 3), np.float32)
    together = network(many)
    for size in (1, 2, 3, 16, 100):
        np.testing.assert_array_equal(network(many[:size]), together[:size])
    np.testing.assert_array_equal(np.concatenate([network(one[None]) for one in many]), together)


def test_values_beyond_16_bit_floats_are_refused(tmp_path: Path) -> None:
    network = ONNXRuntime(written(tmp_path / "n.onnx", HALF, FLOAT))
    with pytest.raises(QuantriftError, match=r"inputs reach 70000, beyond the 65504 that a float16 input holds"):
        network(np.full_like(IMAGES, 70000))


def test_numbers_of_classes_are_no_logits(tmp_path: Path) -> None:
    ending = [node("ArgMax", ["logits"], ["y"], axis=1, keepdims=0)]
    path = written(tmp_path / "n.onnx", FLOAT, FLOAT, ending, result=INT64)
    with pytest.raises(QuantriftError, match=r"gives int64, as numbers of classes are after an ArgMax"):
        ONNXRuntime(path)


def test_layers_in_16_bits_are_compared_with_those_in_32(tmp_path: Path) -> None:
    full, half = (written(tmp_path / f"{inside}.onnx", FLOAT, inside) for inside in (FLOAT, HALF))
    errors = layer_errors(full, half, [IMAGES])
    assert [(error.layer, error.type) for error in errors] == [("features", "float16"), ("mean", "float16")]
    # Rounding to 11 bits leaves errors of up to 2^-12 of a number: 72 dB and more, less what the sum adds.
    assert all(60 < error.sqnr_db < 90 and error.added_sqnr_db for error in errors)  # type: ignore[operator]
    # Beside an original in 16 bits no layer runs alone, and there is no error of 32 bits alone.
    assert {error.added_sqnr_db for error in layer_errors(half, full, [IMAGES])} == {None}


def test_a_network_of_other_types_has_no_layers_to_compare(tmp_path: Path) -> None:
    network = onnx.load(written(tmp_path / "n.onnx", DOUBLE, FLOAT))
    del network.graph.node[:]
    network.graph.node.extend([node("Flatten", ["x"], ["flat"]), node("MatMul", ["flat", "w"], ["y"])])
    network.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(RNG.normal(size=(90, 4)), "w"))
    onnx.save(network, tmp_path / "n.onnx")
    assert layer_errors(tmp_path / "n.onnx", tmp_path / "n.onnx", [np.moveaxis(IMAGES, 3, 1)]) == []


@pytest.mark.parametrize(("original", "compressed"), [(FLOAT, HALF), (HALF, FLOAT)])
def test_a_network_in_16_bits_is_assessed_on_either_side(tmp_path: Path, original: int, compressed: int) -> None:
    files = [written(tmp_path / f"{ends}.onnx", ends, ends) for ends in (original, compressed)]
    write_arrays(tmp_path / "x.npz", {"x": np.random.default_rng(1).random((40, 6, 5, 3), np.float32)})
    size = Size(seeds=4, generations=2, queries=20, vectors=2, shrunk=2, layer_inputs=4)
    found = assess(files[0], [files[1]], tmp_path / "x.npz", tmp_path / "out", Settings(size=size))
    rounded = [line for line in found.assumed if "takes float16, to which inputs are rounded" in line]
    assert [line.partition(":")[0] for line in rounded] == [f"{HALF}.onnx"]
    [one] = found.candidates
    assert all(replay(tmp_path / "out" / tool.records).complete for tool in one.tools)
