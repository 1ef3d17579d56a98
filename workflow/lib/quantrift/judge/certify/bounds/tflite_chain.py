"""Layers of a .tflite file: float32, or int8 as full-integer quantization makes it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.tflite_graph import Graph, Operation
from quantrift.judge.certify.bounds import arithmetic
from quantrift.judge.certify.bounds.layer import TIE, Affine, Clamp, Grid, Layer, MaxPool, Reshape
from quantrift.judge.certify.bounds.linear_map import Convolution, Dense, Depthwise, LinearMap, Window

SHAPES = {"SHAPE", "STRIDED_SLICE", "PACK"}
"""Operations that only compute the shape of a reshape."""
SAME_GRID = {"MAX_POOL_2D", "RELU", "RESHAPE"}
LIMITS = {
    schema.ActivationFunctionType.NONE: (-np.inf, np.inf),
    schema.ActivationFunctionType.RELU: (0.0, np.inf),
    schema.ActivationFunctionType.RELU6: (0.0, 6.0),
}
STORED = ("FLOAT32", "INT8", "INT32")


@dataclass(frozen=True, eq=False)
class Chain:
    """The layers of a network, one after the other."""

    layers: list[Layer]
    softmax: bool
    """Whether a float32 softmax follows them, which changes no label where the largest logit is ahead."""


def read(path: Path) -> Chain:
    """The chain of a file that LiteRT runs.

    Raises:
        QuantriftError: one line, naming the first operation that has no bound.
    """
    return _Reader(path).chain()


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._graph = Graph(path.read_bytes())
        self._tensors = self._graph.tensors

    def chain(self) -> Chain:
        current = self._graph.inputs[0].index
        # Images become bytes before the file, or by its first operation.
        layers: list[Layer] = [] if self._is_float(current) else [self._grid(current)]
        softmax = False
        for operation in self._graph.operations:
            kind = operation.kind
            if kind in SHAPES:
                continue
            if operation.inputs[:1] != (current,) or softmax:
                raise self._refused(f"its operations are no chain ({kind} takes another's result)")
            made = operation.outputs[0] if operation.outputs else -1
            if kind == "SOFTMAX" and self._is_float(made):
                if operation.options(schema.SoftmaxOptions).Beta() != 1:
                    raise self._refused("a softmax with a factor")
                softmax = True
            else:
                layers += self._layers(operation, current, made)
            current = made
        if current != self._graph.outputs[0].index:
            raise self._refused("its output is not that of its last operation")
        return Chain(layers, softmax)

    def _layers(self, operation: Operation, taken: int, made: int) -> list[Layer]:
        kind = operation.kind
        if kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
            return [self._affine(operation, taken, made)]
        if kind in SAME_GRID and self._ends(taken) != self._ends(made):
            # Moving numbers from grid to grid has errors of its own, as large as 2**-9 in XNNPACK.
            raise self._refused(f"{kind} between two grids")
        if kind == "MAX_POOL_2D":
            options = operation.options(schema.Pool2DOptions)
            size = options.FilterHeight(), options.FilterWidth()
            window = self._window(options, self._shape(taken), size)
            if np.any(window.padding):
                raise self._refused("max pooling over the image's edge")
            return [MaxPool(window), *self._activation(options.FusedActivationFunction())]
        if kind == "RELU":
            return [Clamp(0.0, np.inf)]
        if kind == "RESHAPE":
            if len(self._shape(made)) != 1:
                raise self._refused(f"RESHAPE to {self._shape(made)}")
            return [Reshape()]
        if kind == "QUANTIZE" and self._is_float(taken):
            return [self._grid(made)]
        if kind == "DEQUANTIZE" and self._ends(taken) is not None:
            # Its one rounding is far within what float32 layers behind it are given, and keeps the order of logits.
            return []
        raise self._refused(kind)

    def _affine(self, operation: Operation, taken: int, made: int) -> Affine:
        kind = operation.kind
        weights, scales = self._weights(operation.inputs[1], taken)
        linear, activation = self._linear(operation, weights, self._shape(taken))
        channels = linear.output_shape[-1]
        has_bias = len(operation.inputs) > 2 and operation.inputs[2] >= 0
        low, high = LIMITS.get(activation, (np.nan, np.nan))
        if np.isnan(low):
            raise self._refused(f"activation {activation} of {kind}")
        stored = self._constant(operation.inputs[2]).astype(np.float64) if has_bias else np.zeros(channels)
        if scales is None:
            return Affine(linear, stored, arithmetic.of_float(linear.fan_in), low, high)
        own = np.broadcast_to(scales * self._step(taken), (channels,))
        magnitudes = linear.magnitudes()(np.ones((1, *self._shape(taken))))[0]
        largest = 255 * magnitudes / np.broadcast_to(scales, (channels,)) + np.abs(stored)
        if largest.max() >= arithmetic.LARGEST_SUM:
            raise self._refused(f"{kind}, whose sums may pass 32 bits")
        grid = self._grid(made)
        rounding = arithmetic.of_int8(own / grid.step, grid.step)
        # Ends of an activation are rounded to the grid, on which 0 always lies.
        if np.isfinite(high):
            if abs(high / grid.step % 1 - 0.5) < TIE:
                raise self._refused(f"{kind}, whose activation ends in the middle of two numbers of its grid")
            high = grid.step * np.rint(high / grid.step)
        return Affine(linear, stored * own, rounding, max(low, grid.low), min(high, grid.high))

    def _linear(self, operation: Operation, weights: np.ndarray, shape: tuple[int, ...]) -> tuple[LinearMap, int]:
        kind = operation.kind
        if kind == "FULLY_CONNECTED":
            options = operation.options(schema.FullyConnectedOptions)
            if options.WeightsFormat() or weights.shape[1] != np.prod(shape):
                raise self._refused("FULLY_CONNECTED over a part of its input")
            return Dense(weights), options.FusedActivationFunction()
        is_depthwise = kind == "DEPTHWISE_CONV_2D"
        options = operation.options(schema.DepthwiseConv2DOptions if is_depthwise else schema.Conv2DOptions)
        if options.DilationHFactor() > 1 or options.DilationWFactor() > 1:
            raise self._refused(f"dilated {kind}")
        rows, columns, channels = shape
        window = self._window(options, shape, (weights.shape[1], weights.shape[2]))
        activation = options.FusedActivationFunction()
        if is_depthwise:
            each = weights[0].reshape(*weights.shape[1:3], channels, -1)
            return Depthwise(each, window, (rows, columns)), activation
        if weights.shape[3] != channels:
            raise self._refused(f"grouped {kind}")
        return Convolution(weights, window, (rows, columns)), activation

    def _window(self, options: Any, shape: tuple[int, ...], size: tuple[int, int]) -> Window:
        stride = options.StrideH(), options.StrideW()
        return Window.of((shape[0], shape[1]), size, stride, options.Padding() == schema.Padding.SAME)

    def _activation(self, activation: int) -> list[Layer]:
        if activation not in LIMITS:
            raise self._refused(f"activation {activation}")
        low, high = LIMITS[activation]
        return [Clamp(low, high)] if np.isfinite(low) else []

    def _weights(self, number: int, taken: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Weights as real numbers, float64, and their scale in each channel, or None for float32."""
        tensor, of_input = self._tensors[number], self._tensors[taken].type
        values = self._constant(number).astype(np.float64)
        if tensor.type == of_input == "FLOAT32":
            return values, None
        if tensor.type != "INT8" or of_input != "INT8":
            raise self._refused("a layer whose weights and inputs are neither both float32 nor both int8")
        if tensor.zeros.any():
            raise self._refused("weights of 8 bits whose zero point is not 0")
        scales = tensor.scales
        axis = tensor.axis if len(scales) > 1 else values.ndim - 1
        sides = [1] * values.ndim
        sides[axis] = len(scales)
        return values * scales.reshape(sides), scales

    def _constant(self, number: int) -> np.ndarray:
        tensor = self._tensors[number]
        if tensor.type not in STORED or tensor.numbers is None:
            raise self._refused("weights that are no stored float32, int8 or int32")
        return tensor.numbers

    def _step(self, number: int) -> float:
        return float(self._tensors[number].scales[0])

    def _grid(self, number: int) -> Grid:
        tensor = self._tensors[number]
        if tensor.type != "INT8":
            raise self._refused("a result of another type than int8")
        step, zero = self._step(number), int(tensor.zeros[0])
        return Grid(step, step * (-128 - zero), step * (127 - zero))

    def _is_float(self, number: int) -> bool:
        return self._tensors[number].type == "FLOAT32"

    def _ends(self, number: int) -> tuple[float, float] | None:
        """Ends of the grid of a tensor; None for float32."""
        if self._is_float(number):
            return None
        grid = self._grid(number)
        return grid.low, grid.high

    def _shape(self, number: int) -> tuple[int, ...]:
        return self._tensors[number].shape[1:]

    def _refused(self, what: str) -> QuantriftError:
        return QuantriftError(
            f"{self._path}: has {what}, for which there are no bounds; bounds are for chains of convolutions, dense "
            "layers, ReLU and max pooling in float32 or int8"
        )
