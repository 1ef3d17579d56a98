"""The first operations of the graph in an .onnx file, and the grids of its border; runs nothing."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from quantrift.core.networks.foreign.onnx_graph import constants
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
from quantrift.core.networks.libraries import library

Grid = tuple[float, int]
"""Scale and zero point."""
_CONVOLUTIONS = {"Conv", "ConvInteger", "QLinearConv", "ConvTranspose", "FusedConv"}
_SPATIAL = _CONVOLUTIONS | {
    "MaxPool",
    "AveragePool",
    "LpPool",
    "GlobalMaxPool",
    "GlobalAveragePool",
    "GlobalLpPool",
    "QLinearAveragePool",
    "QLinearGlobalAveragePool",
    "BatchNormalization",
    "InstanceNormalization",
    "GroupNormalization",
    "LRN",
    "DepthToSpace",
    "SpaceToDepth",
}
"""Defined on (n, C, ...)."""
_SEQUENCES = {"LSTM", "GRU", "RNN"}
_UNCHANGING = {"Cast", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "Pad", "Identity", "Dropout"}
_ELEMENTWISE = {"Relu", "Clip", "Sigmoid", "Tanh", "LeakyRelu", "Neg", "Abs", "Sqrt", "Exp", "Log", "Pow", "Min", "Max"}
_ELEMENTWISE |= {"HardSigmoid", "HardSwish", "Elu", "Selu", "Erf", "Softplus", "PRelu", "Gelu", "QLinearSigmoid"}
_ELEMENTWISE |= {"Slice", "QLinearAdd", "QLinearMul"}
_ARITHMETIC = {"Add", "Sub", "Mul", "Div"}
_SHAPES = {"Reshape", "Squeeze", "Unsqueeze"}


class OnnxStart:
    """Reads the beginning and the border of one graph."""

    def __init__(self, graph: Any) -> None:
        """``graph``: ``onnx.GraphProto`` with one input beside its constants."""
        self._helper = library("onnx", "onnxruntime").numpy_helper
        self._tensors = constants(graph)
        self._makers = {name: node for node in graph.node for name in node.output}
        self._takers: dict[str, list[Any]] = {}
        for node in graph.node:
            for name in dict.fromkeys(node.input):
                self._takers.setdefault(name, []).append(node)

    def start(self, name: str, shape: Sequence[int]) -> Start:
        """Properties implied by the first operations on the input ``name``; ``shape`` with the batch, -1 for open
        sides.
        """
        return start(name, shape, self._steps)

    def grid_of_input(self, name: str) -> Grid | None:
        """Grid of the integers that the input ``name`` is quantized to, or consists of; ``None`` if not known."""
        found = self.integers_of_input(name)
        return None if found is None else found[1:]

    def integers_of_input(self, name: str) -> tuple[np.dtype[Any], float, int] | None:
        """Type, scale and zero point of the integers that the input ``name`` is quantized to, or consists of."""
        for node in self._takers.get(name, []):
            if (grid := self._grid(node, name)) is not None:
                zero = self._constant(node.input[2]) if len(node.input) > 2 else None
                return np.dtype(np.uint8) if zero is None else zero.dtype, *grid
        return None

    def grid_of_output(self, name: str) -> Grid | None:
        """Grid of integers at the output ``name``; ``None`` if not known."""
        node = self._makers.get(name)
        if node is None:
            return None
        if node.op_type == "QuantizeLinear":
            return self._as_grid(node.input[1:3])
        return self._as_grid(node.input[6:8]) if node.op_type in {"QLinearMatMul", "QLinearConv"} else None

    def _grid(self, node: Any, name: str) -> Grid | None:
        rounds = node.op_type in {"QuantizeLinear", "DequantizeLinear"} or node.op_type.startswith("QLinear")
        return self._as_grid(node.input[1:3]) if rounds and node.input[0] == name else None

    def _as_grid(self, names: Sequence[str]) -> Grid | None:
        values = [value for name in names if (value := self._constant(name)) is not None and value.size == 1]
        if not values or len(values) < len(names):
            return None
        return float(values[0].item()), int(values[1].item()) if len(values) > 1 else 0

    def _steps(self, tensor: Any, sizes: tuple[int, ...]) -> Iterator[Step]:
        for node in self._takers.get(tensor, []):
            if (step := self._step(node, tensor, sizes)) is not None:
                yield step

    def _step(self, node: Any, name: str, sizes: tuple[int, ...]) -> Step | None:
        kind, rank, result = node.op_type, len(sizes), node.output[0]
        first = node.input[0] == name
        if kind in _SPATIAL:
            return self._spatial(node, rank) if first else None
        if kind in _SEQUENCES:
            return Reads(kind, "sequence")
        if kind in {"Gather", "EmbedLayerNormalization"} and (not first or kind != "Gather"):
            return Reads(kind, "tokens")
        if kind in {"ReduceMean", "ReduceSum", "ReduceMax"}:
            over = self._argument(node, "axes", 1)
            return None if over is None else mean(kind, over, rank)
        if kind == "Transpose":
            axes = self._argument(node, "perm")
            return Transposes(result, tuple(axes or reversed(range(rank))))
        if kind in _SHAPES:
            return self._reshapes(node, sizes)
        if kind in _UNCHANGING or (kind == "Gather" and first):
            return Passes(result, np.ones(1), np.zeros(1))
        if kind in _ARITHMETIC:
            return linear(result, kind, self._constant(node.input[1] if first else node.input[0]), first)
        return Passes(result) if kind in _ELEMENTWISE else None

    def _spatial(self, node: Any, rank: int) -> Spatial:
        last = bool((self._argument(node, "channels_last") or [0])[0])
        space = tuple(range(1, rank - 1)) if last else tuple(range(2, rank))
        slope = offset = None
        if node.op_type == "BatchNormalization":
            values = [value for name in node.input[1:5] if (value := self._constant(name)) is not None]
            if len(values) == 4:
                scale, bias, average, variance = (np.ravel(value).astype(np.float64) for value in values)
                slope = scale / np.sqrt(variance + self._epsilon(node))
                offset = bias - average * slope
        return Spatial(node.op_type, space, rank - 1 if last else 1, slope, offset)

    def _epsilon(self, node: Any) -> float:
        return next((float(one.f) for one in node.attribute if one.name == "epsilon"), 1e-5)

    def _reshapes(self, node: Any, sizes: tuple[int, ...]) -> Reshapes | None:
        result = node.output[0]
        if node.op_type == "Reshape":
            shape = self._constant(node.input[1])
            return None if shape is None else Reshapes(result, tuple(int(side) for side in np.ravel(shape)))
        axes = self._argument(node, "axes", 1)
        if axes is None:
            return None
        if node.op_type == "Squeeze":
            dropped = {axis % len(sizes) for axis in axes}
            return Reshapes(result, tuple(size for axis, size in enumerate(sizes) if axis not in dropped))
        left, rank = iter(sizes), len(sizes) + len(axes)
        added = {axis % rank for axis in axes}
        return Reshapes(result, tuple(1 if axis in added else next(left) for axis in range(rank)))

    def _argument(self, node: Any, name: str, place: int | None = None) -> list[int] | None:
        """Whole numbers that a node is given as an attribute or, in newer sets of operations, as an input."""
        for one in node.attribute:
            if one.name == name:
                return list(one.ints) or [one.i]
        if place is None or len(node.input) <= place:
            return None
        found = self._constant(node.input[place])
        return None if found is None else [int(value) for value in np.ravel(found)]

    def _constant(self, name: str) -> np.ndarray | None:
        """Values of a constant; ``None`` for what is computed, or stored in another file."""
        if name in self._tensors:
            tensor = self._tensors[name]
            return None if tensor.data_location == tensor.EXTERNAL else np.asarray(self._helper.to_array(tensor))
        node = self._makers.get(name)
        if node is None:
            return None
        if node.op_type in {"Identity", "Cast"}:
            return self._constant(node.input[0])
        if node.op_type == "DequantizeLinear":
            stored, grid = self._constant(node.input[0]), self._as_grid(node.input[1:3])
            return None if stored is None or grid is None else (stored.astype(np.float64) - grid[1]) * grid[0]
        return None
