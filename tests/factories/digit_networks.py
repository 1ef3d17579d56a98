"""Small networks of digits in .onnx, quantized by the library alone, and the command that mends them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

LIMITS = ("--max-disagreement", "10%", "--max-accuracy-drop", "10%", "--max-dir", "10%")
FEW = ("--changes", "4", "--seeds", "40", "--generations", "2")


def network(nodes: Sequence[Any], weights: dict[str, np.ndarray], outputs: int) -> onnx.ModelProto:
    """Nodes from ``x``, (n, 1, 8, 8), to ``y``, (n, outputs)."""
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", outputs])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 10
    onnx.checker.check_model(model)
    return model


class Reader(quantization.CalibrationDataReader):
    def __init__(self, x: np.ndarray) -> None:
        self._left = iter([{"x": x}])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._left, None)


def quantized(source: Path, out: Path, x: np.ndarray, per_channel: bool) -> Path:
    """A file in 8 bits, made by the library alone."""
    quantization.quantize_static(str(source), str(out), Reader(x), per_channel=per_channel)
    return out


def ran(path: Path, x: np.ndarray) -> np.ndarray:
    """Labels by the library alone, of images (n, 1, 8, 8)."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found: np.ndarray = session.run(None, {session.get_inputs()[0].name: x})[0]
    return found.argmax(axis=1)


def words(pair: dict[str, Path], compressed: str, out: Path, *more: str) -> list[str]:
    """The command ``quantrift mend`` on a pair."""
    files = (
        "--original",
        str(pair["original"]),
        "--compressed",
        str(pair[compressed]),
        "--inputs",
        str(pair["inputs"]),
    )
    return ["mend", *files, "--out", str(out), *LIMITS, *FEW, *more]
