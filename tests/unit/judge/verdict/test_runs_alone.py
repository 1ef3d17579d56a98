"""Networks whose result for one input changes with the others of a run are run on one at a time, and say so."""

from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.networks import chain

from quantrift.core.base.archive import write_arrays
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.search.records.replaying import replay
from quantrift.judge.intake.given_networks import compressed
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

SIZE = Size(seeds=4, generations=2, queries=20, vectors=2, shrunk=2, layer_inputs=4)
SHAPE = (6, 5, 3)
ALONE = "runs on one input at a time, as its result for one depends on the others of a run"


def dynamic(path: Path) -> Path:
    """A product in 8 bits, whose grid follows from the largest number of all inputs of a run."""
    onnx = pytest.importorskip("onnx")
    quantization = pytest.importorskip("onnxruntime.quantization")
    rng, value = np.random.default_rng(0), onnx.helper.make_tensor_value_info
    weights = {"w": rng.normal(size=(4, 3, 3, 3)), "dense": rng.normal(size=(48, 4))}
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("Conv", ["x", "w"], ["features"]),
            onnx.helper.make_node("Flatten", ["features"], ["flat"]),
            onnx.helper.make_node("MatMul", ["flat", "dense"], ["y"]),
        ],
        "network",
        [value("x", onnx.TensorProto.FLOAT, ["n", 3, 6, 5])],
        [value("y", onnx.TensorProto.FLOAT, ["n", 4])],
        [onnx.numpy_helper.from_array(one.astype(np.float32), name) for name, one in weights.items()],
    )
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8), path)
    made = path.with_name("dynamic.onnx")
    quantization.quantize_dynamic(path, made, op_types_to_quantize=["MatMul"])
    return made


def averaged(path: Path) -> Path:
    """A network that adds the mean over all inputs of a run."""
    keras.utils.set_random_seed(0)
    given = keras.Input(SHAPE)
    seen = layers.Conv2D(4, 3)(given)
    last = layers.Dense(4)
    path.write_bytes(to_tflite(chain(SHAPE, layers.Conv2D(4, 3), layers.Flatten(), layers.Dense(4))))
    made = path.with_name("averaged.tflite")
    mean = keras.ops.mean(seen, axis=0, keepdims=True)
    made.write_bytes(to_tflite(keras.Model(given, last(layers.Flatten()(seen + mean)))))
    return made


@pytest.mark.parametrize(("make", "suffix"), [(dynamic, ".onnx"), (averaged, ".tflite")])
@pytest.mark.slow
def test_from_files_to_records_that_can_be_replayed(make: Callable[[Path], Path], suffix: str, tmp_path: Path) -> None:
    first = tmp_path / f"first{suffix}"
    second = make(first)
    write_arrays(tmp_path / "x.npz", {"x": np.random.default_rng(1).random((40, *SHAPE), np.float32)})
    found = assess(first, [second], tmp_path / "x.npz", tmp_path / "out", Settings(size=SIZE))
    assert [line for line in found.assumed if ALONE in line] == [f"{second.name}: {ALONE}"]
    [one] = found.candidates
    assert all(replay(tmp_path / "out" / tool.records).complete for tool in one.tools)


def test_only_one_input_goes_in_at_a_time(tmp_path: Path) -> None:
    second = dynamic(tmp_path / "first.onnx")
    x = np.random.default_rng(1).random((7, *SHAPE), np.float32)
    x[3] *= 100
    with ForeignFiles() as files:
        network = compressed(second, files).network
        together = network(x)
        np.testing.assert_array_equal(np.concatenate([network(one[None]) for one in x]), together)
