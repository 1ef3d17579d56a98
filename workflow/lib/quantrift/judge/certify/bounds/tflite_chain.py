"""Layers of a .tflite file: float32, or int8 as full-integer quantization makes it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.tflite_buffers import stored
from quantrift.core.networks.tflite_structure import operation
from quantrift.judge.certify.bounds import arithmetic
from quantrift.judge.certify.bounds.layer import TIE, Affine, Clamp, Grid, Layer, MaxPool, Reshape
from quantrift.judge.certify.bounds.linear_map import Convolution, Dense, Depthwise, LinearMap, Window

OPERATOR = schema.BuiltinOperator
SHAPES = {OPERATOR.SHAPE, OPERATOR.STRIDED_SLICE, OPERATOR.PACK}
"""Operations that only compute the shape of a reshape."""
SAME_GRID = {OPERATOR.MAX_POOL_2D, OPERATOR.RELU, OPERATOR.RESHAPE}
LIMITS = {
    schema.ActivationFunctionType.NONE: (-np.inf, np.inf),
    schema.ActivationFunctionType.RELU: (0.0, np.inf),
    schema.ActivationFunctionType.RELU6: (0.0, 6.0),
}
TYPES = {schema.TensorType.FLOAT32: np.float32, schema.TensorType.INT8: np.int8, schema.TensorType.INT32: np.int32}
NAMES = {number: name for name, number in vars(OPERATOR).items() if isinstance(number, int)}


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
        self._root = schema.Model.GetRootAs(path.read_bytes(), 0)
        self._graph = self._root.Subgraphs(0)

    def chain(self) -> Chain:
        current = int(self._graph.Inputs(0))
        # Images become bytes before the file, or by its first operation.
        layers: list[Layer] = [] if self._is_float(current) else [self._grid(current)]
        softmax = False
        for operator in map(self._graph.Operators, range(self._graph.OperatorsLength())):
            kind = operation(self._root, operator)
            if kind in SHAPES:
                continue
            if int(operator.Inputs(0)) != current or softmax:
                raise self._refused(f"its operations are no chain ({NAMES[kind]} takes another's result)")
            made = int(operator.Outputs(0))
            if kind == OPERATOR.SOFTMAX and self._is_float(made):
                if self._options(operator, schema.SoftmaxOptions()).Beta() != 1:
                    raise self._refused("a softmax with a factor")
                softmax = True
            else:
                layers += self._layers(kind, operator, current, made)
            current = made
        if current != int(self._graph.Outputs(0)):
            raise self._refused("its output is not that of its last operation")
        return Chain(layers, softmax)

    def _layers(self, kind: int, operator: Any, taken: int, made: int) -> list[Layer]:
        if kind in (OPERATOR.CONV_2D, OPERATOR.DEPTHWISE_CONV_2D, OPERATOR.FULLY_CONNECTED):
            return [self._affine(kind, operator, taken, made)]
        if kind in SAME_GRID and self._ends(taken) != self._ends(made):
            # Moving numbers from grid to grid has errors of its own, as large as 2**-9 in XNNPACK.
            raise self._refused(f"{NAMES[kind]} between two grids")
        if kind == OPERATOR.MAX_POOL_2D:
            options = self._options(operator, schema.Pool2DOptions())
            size = options.FilterHeight(), options.FilterWidth()
            window = self._window(options, self._shape(taken), size)
            if np.any(window.padding):
                raise self._refused("max pooling over the image's edge")
            return [MaxPool(window), *self._activation(options.FusedActivationFunction())]
        if kind == OPERATOR.RELU:
            return [Clamp(0.0, np.inf)]
        if kind == OPERATOR.RESHAPE:
            if len(self._shape(made)) != 1:
                raise self._refused(f"RESHAPE to {self._shape(made)}")
            return [Reshape()]
        if kind == OPERATOR.QUANTIZE and self._is_float(taken):
            return [self._grid(made)]
        if kind == OPERATOR.DEQUANTIZE and self._ends(taken) is not None:
            # Its one rounding is far within what float32 layers behind it are given, and keeps the order of logits.
            return []
        raise self._refused(NAMES[kind])

    def _affine(self, kind: int, operator: Any, taken: int, made: int) -> Affine:
        weights, scales = self._weights(int(operator.Inputs(1)), taken)
        linear, activation = self._linear(kind, operator, weights, self._shape(taken))
        channels = linear.output_shape[-1]
        has_bias = operator.InputsLength() > 2 and operator.Inputs(2) >= 0
        low, high = LIMITS.get(activation, (np.nan, np.nan))
        if np.isnan(low):
            raise self._refused(f"activation {activation} of {NAMES[kind]}")
        stored = self._constant(int(operator.Inputs(2))).astype(np.float64) if has_bias else np.zeros(channels)
        if scales is None:
            return Affine(linear, stored, arithmetic.of_float(linear.fan_in), low, high)
        own = np.broadcast_to(scales * self._step(taken), (channels,))
        magnitudes = linear.magnitudes()(np.ones((1, *self._shape(taken))))[0]
        largest = 255 * magnitudes / np.broadcast_to(scales, (channels,)) + np.abs(stored)
        if largest.max() >= arithmetic.LARGEST_SUM:
            raise self._refused(f"{NAMES[kind]}, whose sums may pass 32 bits")
        grid = self._grid(made)
        rounding = arithmetic.of_int8(own / grid.step, grid.step)
        # Ends of an activation are rounded to the grid, on which 0 always lies.
        if np.isfinite(high):
            if abs(high / grid.step % 1 - 0.5) < TIE:
                raise self._refused(f"{NAMES[kind]}, whose activation ends in the middle of two numbers of its grid")
            high = grid.step * np.rint(high / grid.step)
        return Affine(linear, stored * own, rounding, max(low, grid.low), min(high, grid.high))

    def _linear(self, kind: int, operator: Any, weights: np.ndarray, shape: tuple[int, ...]) -> tuple[LinearMap, int]:
        if kind == OPERATOR.FULLY_CONNECTED:
            options = self._options(operator, schema.FullyConnectedOptions())
            if options.WeightsFormat() or weights.shape[1] != np.prod(shape):
                raise self._refused("FULLY_CONNECTED over a part of its input")
            return Dense(weights), options.FusedActivationFunction()
        is_depthwise = kind == OPERATOR.DEPTHWISE_CONV_2D
        options = self._options(operator, schema.DepthwiseConv2DOptions() if is_depthwise else schema.Conv2DOptions())
        if options.DilationHFactor() > 1 or options.DilationWFactor() > 1:
            raise self._refused(f"dilated {NAMES[kind]}")
        rows, columns, channels = shape
        window = self._window(options, shape, (weights.shape[1], weights.shape[2]))
        activation = options.FusedActivationFunction()
        if is_depthwise:
            each = weights[0].reshape(*weights.shape[1:3], channels, -1)
            return Depthwise(each, window, (rows, columns)), activation
        if weights.shape[3] != channels:
            raise self._refused(f"grouped {NAMES[kind]}")
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
        of_weights, of_input = self._graph.Tensors(number).Type(), self._graph.Tensors(taken).Type()
        values = self._constant(number).astype(np.float64)
        if of_weights == of_input == schema.TensorType.FLOAT32:
            return values, None
        if of_weights != schema.TensorType.INT8 or of_input != schema.TensorType.INT8:
            raise self._refused("a layer whose weights and inputs are neither both float32 nor both int8")
        stored = self._graph.Tensors(number).Quantization()
        if np.any(stored.ZeroPointAsNumpy()):
            raise self._refused("weights of 8 bits whose zero point is not 0")
        scales = np.atleast_1d(stored.ScaleAsNumpy()).astype(np.float64)
        axis = stored.QuantizedDimension() if len(scales) > 1 else values.ndim - 1
        sides = [1] * values.ndim
        sides[axis] = len(scales)
        return values * scales.reshape(sides), scales

    def _constant(self, number: int) -> np.ndarray:
        tensor = self._graph.Tensors(number)
        data = stored(self._root, tensor)
        if tensor.Type() not in TYPES or data is None:
            raise self._refused("weights that are no stored float32, int8 or int32")
        return np.frombuffer(data.tobytes(), TYPES[tensor.Type()]).reshape(tensor.ShapeAsNumpy())

    def _step(self, number: int) -> float:
        return float(self._graph.Tensors(number).Quantization().ScaleAsNumpy()[0])

    def _grid(self, number: int) -> Grid:
        tensor = self._graph.Tensors(number)
        if tensor.Type() != schema.TensorType.INT8:
            raise self._refused("a result of another type than int8")
        step, zero = self._step(number), int(tensor.Quantization().ZeroPointAsNumpy()[0])
        return Grid(step, step * (-128 - zero), step * (127 - zero))

    def _is_float(self, number: int) -> bool:
        return bool(self._graph.Tensors(number).Type() == schema.TensorType.FLOAT32)

    def _ends(self, number: int) -> tuple[float, float] | None:
        """Ends of the grid of a tensor; None for float32."""
        if self._is_float(number):
            return None
        grid = self._grid(number)
        return grid.low, grid.high

    def _shape(self, number: int) -> tuple[int, ...]:
        return tuple(int(side) for side in self._graph.Tensors(number).ShapeAsNumpy()[1:])

    def _options(self, operator: Any, options: Any) -> Any:
        table = operator.BuiltinOptions()
        options.Init(table.Bytes, table.Pos)
        return options

    def _refused(self, what: str) -> QuantriftError:
        return QuantriftError(
            f"{self._path}: has {what}, for which there are no bounds; bounds are for chains of convolutions, dense "
            "layers, ReLU and max pooling in float32 or int8"
        )
