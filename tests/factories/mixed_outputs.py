"""A network of one output that holds boxes, 0 to 254, beside a score, 0 to 1: a small graph in ONNX."""

from typing import Literal

import numpy as np

SHAPE = (6, 6, 1)
VALUES = 5
"""Four of a box, and its score."""
LARGE = 254

Order = Literal["last", "first"]
"""Place of the channels: (n, M, 5) or (n, 5, M)."""


def inputs(count: int) -> np.ndarray:
    """Images of noise on a grid of 8 bits, float32 (n, 6, 6, 1), the same first ones for each number."""
    drawn = np.random.default_rng(0).integers(0, 256, (count, *SHAPE))
    return drawn.astype(np.float32) / np.float32(255)


def graph(order: Order = "last", boxes: int = 4, score: float = 1.0, noise: float = 0.0) -> bytes:
    """An .onnx file from image (n, 6, 6, 1) to ``out``.

    Args:
        order: of the axes of ``out``.
        boxes: M.
        score: factor of the scores; 0 for dead ones.
        noise: added to all values, as a share of their range.
    """
    import onnx

    helper, of = onnx.helper, onnx.TensorProto
    weights = np.random.default_rng(1).normal(0, 0.8, (36, boxes * VALUES)).astype(np.float32)
    factor = np.tile(np.array([LARGE] * 4 + [score], np.float32), boxes)
    shape, last = [boxes, VALUES], "out" if order == "last" else "boxes"
    constants = {"weights": weights - weights.mean(axis=0), "factor": factor, "added": factor * np.float32(noise)}
    nodes = [
        helper.make_node("Flatten", ["image"], ["flat"]),
        helper.make_node("MatMul", ["flat", "weights"], ["sums"]),
        helper.make_node("Sigmoid", ["sums"], ["shares"]),
        helper.make_node("Mul", ["shares", "factor"], ["scaled"]),
        helper.make_node("Add", ["scaled", "added"], ["values"]),
        helper.make_node("Reshape", ["values", "shape"], [last]),
    ]
    if order == "first":
        nodes.append(helper.make_node("Transpose", ["boxes"], ["out"], perm=[0, 2, 1]))
        shape = shape[::-1]
    made = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("image", of.FLOAT, ["n", *SHAPE])],
        [helper.make_tensor_value_info("out", of.FLOAT, ["n", *shape])],
        [
            *(onnx.numpy_helper.from_array(value, name) for name, value in constants.items()),
            onnx.numpy_helper.from_array(np.array([0, boxes, VALUES], np.int64), "shape"),
        ],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    content: bytes = model.SerializeToString()
    return content
