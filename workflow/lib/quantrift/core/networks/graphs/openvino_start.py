"""The graph of a network that OpenVINO has read: its first operations, its rounding at the border, and its ending."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from quantrift.core.networks import graph
from quantrift.core.networks.graphs.first_operations import GivenGraph, Vocabulary
from quantrift.core.networks.graphs.signature import SIGMOID, SOFTMAX, described

Key = tuple[str, int]
"""Name of an operation, and the place of a tensor among those that it gives."""
SHAPES = {"Reshape", "Squeeze", "Unsqueeze"}
UNCHANGED = {"Convert", "ConvertLike", "FakeQuantize", "Pad", "Slice", "StridedSlice"}


class OpenVINOGraph(GivenGraph[Key]):
    """The graph of an ``openvino.Model``."""

    UNCHANGING = frozenset(SHAPES | UNCHANGED)
    WORDS = Vocabulary(
        # Defined on (n, C, ...).
        spatial={"Convolution", "GroupConvolution", "ConvolutionBackpropData", "GroupConvolutionBackpropData"}
        | {"MaxPool", "AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool", "BatchNormInference", "GroupNormalization"}
        | {"LRN", "BinaryConvolution", "DepthToSpace", "SpaceToDepth"},
        sequences={"GRUSequence", "LSTMSequence", "RNNSequence", "Loop", "TensorIterator"},
        tokens={"Gather": 1},
        means={"ReduceMean", "ReduceMax", "ReduceSum"},
        transposing={"Transpose"},
        shapes=SHAPES,
        unchanging=UNCHANGED,
        elementwise={"Abs", "Clamp", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid", "HSigmoid", "HSwish", "Log", "Maximum"}
        | {"Minimum", "Mish", "Negative", "Power", "PRelu", "Relu", "Selu", "Sigmoid", "SoftPlus", "Sqrt", "Swish"}
        | {"Tanh"},
        arithmetic={"Add": "Add", "Subtract": "Sub", "Multiply": "Mul", "Divide": "Div"},
        endings={"Softmax": SOFTMAX, "Sigmoid": SIGMOID},
    )

    def __init__(self, model: Any) -> None:
        """Reads a model."""
        self._model = model
        self.inputs = [_key(port) for port in model.inputs]
        self.outputs = [_key(port.get_node().input_value(0)) for port in model.outputs]

    @cached_property
    def operations(self) -> list[graph.Operation[Key]]:
        """In the order of computation."""
        return [
            graph.Operation(
                node.get_type_name(),
                tuple(_key(node.input_value(place)) for place in range(node.get_input_size())),
                tuple(map(_key, node.outputs())),
                node,
            )
            for node in self._model.get_ordered_ops()
        ]

    def constant(self, tensor: Key) -> np.ndarray | None:
        """See ``Graph``."""
        maker = self.makers[tensor]
        # Weights in 16 bits are constants that are converted.
        while maker.kind == "Convert":
            maker = self.makers[maker.inputs[0]]
        return np.array(maker.table.data) if maker.kind == "Constant" else None

    def sides(self, tensor: Key) -> list[int]:
        """See ``GivenGraph``."""
        return sides(self.makers[tensor].table.output(tensor[1]))

    def epsilon(self, operation: graph.Operation[Key]) -> float | None:
        """See ``GivenGraph``."""
        is_norm = operation.kind == "BatchNormInference"
        return float(operation.table.get_attributes()["epsilon"]) if is_norm else None

    def range_of_input(self, tensor: Key) -> tuple[float, float, float] | None:
        """Least and greatest value that an input is rounded to, and the step; ``None`` if it is not rounded."""
        for one in self.readers.get(tensor, ()):
            if one.kind == "FakeQuantize" and one.inputs[0] == tensor:
                low, high = self.operand(one, 1), self.operand(one, 2)
                if low is not None and high is not None and low.size == high.size == 1:
                    least, most = float(low.item()), float(high.item())
                    return least, most, (most - least) / (one.table.get_attributes()["levels"] - 1)
        return None


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


def _key(port: Any) -> Key:
    return port.get_node().get_name(), port.get_index()
