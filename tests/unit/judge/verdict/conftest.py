"""Small networks for signals and tables, shared by tests of assessments."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from quantrift.core.base.archive import write_arrays

STEPS, CHANNELS, FEATURES, CLASSES, UNITS = 24, 2, 6, 3, 8


def network(kind: str, grid: float | None) -> bytes:
    """A network of two layers in the .onnx format, with weights on a grid if there is one."""
    rng = np.random.default_rng(0)
    signal = kind == "signal"
    weights = {
        "first": rng.normal(size=(UNITS, CHANNELS, 5) if signal else (FEATURES, UNITS)),
        "last": rng.normal(size=(UNITS, CLASSES)),
    }
    if grid is not None:
        weights = {name: np.rint(values / grid) * grid for name, values in weights.items()}
    nodes = [
        helper.make_node("Conv", ["x", "first"], ["hidden"])
        if signal
        else helper.make_node("MatMul", ["x", "first"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["active"]),
    ]
    if signal:
        nodes += [
            helper.make_node("GlobalAveragePool", ["active"], ["mean"]),
            helper.make_node("Flatten", ["mean"], ["flat"]),
        ]
    nodes.append(helper.make_node("MatMul", ["flat" if signal else "active", "last"], ["logits"]))
    shape: list[str | int | None] = ["n", CHANNELS, STEPS] if signal else ["n", FEATURES]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", CLASSES])],
        [numpy_helper.from_array(values.astype(np.float32), name) for name, values in weights.items()],
    )
    model: onnx.ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()


@pytest.fixture(scope="module", params=["table", "signal"])
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A kind of inputs, and a folder with a network for them, one with coarse weights, and inputs."""
    kind, folder = str(request.param), tmp_path_factory.mktemp(request.param)
    shape = (FEATURES,) if kind == "table" else (STEPS, CHANNELS)
    x = np.random.default_rng(1).normal(size=(30, *shape)).astype(np.float32)
    (folder / "net.onnx").write_bytes(network(kind, None))
    (folder / "coarse.onnx").write_bytes(network(kind, 0.5))
    write_arrays(folder / "x.npz", {"x": x})
    return kind, folder
