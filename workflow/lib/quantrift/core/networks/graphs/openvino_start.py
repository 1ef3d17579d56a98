"""The first operations of a network that OpenVINO has read, its rounding at the border, and its ending."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from quantrift.core.networks.graphs.first_operations import (
    Passes,
    Reads,
    Reshapes,
    Spatial,
    Start,
    Step,
    Transposes,
    linear,
    mean,
    start,
)
from quantrift.core.networks.graphs.signature import SIGMOID, SOFTMAX, described

SPATIAL = {"Convolution", "GroupConvolution", "ConvolutionBackpropData", "GroupConvolutionBackpropData", "MaxPool"}
SPATIAL |= {"AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool", "BatchNormInference", "GroupNormalization", "LRN"}
SPATIAL |= {"BinaryConvolution", "DepthToSpace", "SpaceToDepth"}
"""Defined on (n, C, ...)."""
SEQUENCES = {"GRUSequence", "LSTMSequence", "RNNSequence", "Loop", "TensorIterator"}
UNCHANGING = {"Convert", "ConvertLike", "FakeQuantize", "Pad", "Slice", "StridedSlice"}
ELEMENTWISE = {"Abs", "Clamp", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid", "HSigmoid", "HSwish", "Log", "Maximum"}
ELEMENTWISE |= {"Minimum", "Mish", "Negative", "Power", "PRelu", "Relu", "Selu", "Sigmoid", "SoftPlus", "Sqrt", "Swish"}
ELEMENTWISE |= {"Tanh"}
ARITHMETIC = {"Add": "Add", "Subtract": "Sub", "Multiply": "Mul", "Divide": "Div"}
SHAPES = {"Reshape", "Squeeze", "Unsqueeze"}
ENDINGS = {"Softmax": SOFTMAX, "Sigmoid": SIGMOID}
REPEATING = SHAPES | UNCHANGING
"""Operations that say the same as their input, in another type or shape."""


def openvino_start(model: Any, place: int = 0) -> Start:
    """Properties implied by the first operations on the input at a place of an ``openvino.Model``."""
    given = model.inputs[place]
    outputs = {_key(given): given}

    def steps(tensor: Any, sizes: tuple[int, ...]) -> Iterator[Step]:
        for taker in outputs[tensor].get_target_inputs():
            node = taker.get_node()
            outputs.update({_key(one): one for one in node.outputs()})
            if (step := _step(node, taker.get_index(), sizes)) is not None:
                yield step

    return start(_key(given), sides(given), steps)


def sides(port: Any) -> list[int]:
    """Sizes of an input or output; -1 for open ones."""
    return [-1 if side.is_dynamic else side.get_length() for side in port.partial_shape]


def details(ports: Sequence[Any]) -> list[dict[str, Any]]:
    """What ``signature`` wants to know of all inputs, or all outputs."""
    return [
        described(sides(port), port.element_type.to_dtype().type, name=name_of(port), index=place)
        for place, port in enumerate(ports)
    ]


def name_of(port: Any) -> str:
    """A name of an input or output, the first of several in the order of letters; else that of its operation."""
    return min(port.get_names(), default="") or str(port.get_node().get_friendly_name())


def range_of_input(model: Any, place: int = 0) -> tuple[float, float, float] | None:
    """Least and greatest value that the input at a place is rounded to, and the step; ``None`` if it is not rounded."""
    for taker in model.inputs[place].get_target_inputs():
        node = taker.get_node()
        if node.get_type_name() == "FakeQuantize" and taker.get_index() == 0:
            low, high = (_constant(node, place) for place in (1, 2))
            if low is not None and high is not None and low.size == high.size == 1:
                least, most = float(low.item()), float(high.item())
                return least, most, (most - least) / (node.get_attributes()["levels"] - 1)
    return None


def ending(model: Any, place: int = 0) -> str | None:
    """The operation that decides an output, by its number in the schema of .tflite files; ``None`` for most."""
    node = _maker(model.outputs[place].get_node())
    while node.get_type_name() in REPEATING:
        node = _maker(node)
    return ENDINGS.get(node.get_type_name())


def _maker(node: Any) -> Any:
    return node.input_value(0).get_node()


def _key(port: Any) -> tuple[str, int]:
    return port.get_node().get_name(), port.get_index()


def _step(node: Any, place: int, sizes: tuple[int, ...]) -> Step | None:
    kind, rank, first = node.get_type_name(), len(sizes), place == 0
    if node.get_output_size() == 0:
        return None
    result = _key(node.output(0))
    if kind in SPATIAL:
        return _spatial(node, kind, rank) if first else None
    if kind in SEQUENCES:
        return Reads(kind, "sequence")
    if kind == "Gather" and place == 1:
        return Reads(kind, "tokens")
    if kind in ("ReduceMean", "ReduceMax", "ReduceSum"):
        over = _constant(node, 1)
        return None if over is None else mean(kind, [int(axis) for axis in over.reshape(-1)], rank)
    if kind == "Transpose" and first:
        axes = _constant(node, 1)
        return None if axes is None else Transposes(result, tuple(int(axis) for axis in axes.reshape(-1)))
    if kind in SHAPES and first:
        return Reshapes(result, tuple(sides(node.output(0))))
    if kind in UNCHANGING and first:
        return Passes(result, np.ones(1), np.zeros(1))
    if kind in ARITHMETIC:
        return linear(result, ARITHMETIC[kind], _constant(node, 1 - place), first)
    return Passes(result) if kind in ELEMENTWISE else None


def _spatial(node: Any, kind: str, rank: int) -> Spatial:
    slope = offset = None
    if kind == "BatchNormInference":
        values = [one for place in range(1, 5) if (one := _constant(node, place)) is not None]
        if len(values) == 4:
            scale, bias, average, variance = (one.reshape(-1).astype(np.float64) for one in values)
            slope = scale / np.sqrt(variance + node.get_attributes()["epsilon"])
            offset = bias - average * slope
    return Spatial(kind, tuple(range(2, rank)), 1, slope, offset)


def _constant(node: Any, place: int) -> np.ndarray | None:
    """Values of an operation's constant input; ``None`` for what is computed."""
    maker = node.input_value(place).get_node()
    # Weights in 16 bits are constants that are converted.
    while maker.get_type_name() == "Convert":
        maker = _maker(maker)
    return np.array(maker.data) if maker.get_type_name() == "Constant" else None
