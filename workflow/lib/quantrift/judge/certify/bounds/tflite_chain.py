"""Layers of a .tflite file: float32, or int8 as full-integer quantization makes it."""

from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.tflite_graph import Graph, Operation
from quantrift.judge.certify.bounds import arithmetic
from quantrift.judge.certify.bounds.layers import (
    TIE,
    Affine,
    Clamp,
    Grid,
    Layer,
    LinearMap,
    MaxPool,
    Reshape,
    Window,
    convolution,
    dense,
)

SHAPES = {"SHAPE", "STRIDED_SLICE", "PACK"}
"""Operations that only compute the shape of a reshape."""
LIMITS = {
    schema.ActivationFunctionType.NONE: (-np.inf, np.inf),
    schema.ActivationFunctionType.RELU: (0.0, np.inf),
    schema.ActivationFunctionType.RELU6: (0.0, 6.0),
}
OTHER = "a result of another type than int8"


def read(path: Path) -> tuple[list[Layer], bool]:
    """Layers of a file that LiteRT runs, one after the other, and whether a float32 softmax follows them.

    That changes no label where the largest logit is ahead.

    Raises:
        QuantriftError: one line, naming the first operation that has no bound.
    """
    return _Reader(path).chain()


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._graph = Graph(path.read_bytes())
        self._tensors = self._graph.tensors

    def chain(self) -> tuple[list[Layer], bool]:
        current = self._graph.inputs[0]
        # Images become bytes before the file, or by its first operation.
        layers: list[Layer] = list(filter(None, [self._grid(current)]))
        softmax = False
        for operation in self._graph.operations:
            kind = operation.kind
            if kind in SHAPES:
                continue
            self._refuse(
                operation.inputs[:1] != (current,) or softmax,
                f"its operations are no chain ({kind} takes another's result)",
            )
            made = operation.outputs[0] if operation.outputs else -1
            softmax = kind == "SOFTMAX" and self._is_float(made)
            if softmax:
                self._refuse(operation.options(schema.SoftmaxOptions).Beta() != 1, "a softmax with a factor")
            else:
                layers += self._layers(operation, current, made)
            current = made
        self._refuse(current != self._graph.outputs[0], "its output is not that of its last operation")
        return layers, softmax

    def _layers(self, operation: Operation, taken: int, made: int) -> list[Layer]:
        kind = operation.kind
        # Moving numbers from grid to grid has errors of its own, as large as 2**-9 in XNNPACK.
        self._refuse(
            kind in ("MAX_POOL_2D", "RELU", "RESHAPE") and self._grid(taken) != self._grid(made),
            f"{kind} between two grids",
        )
        match kind:
            case "CONV_2D" | "DEPTHWISE_CONV_2D" | "FULLY_CONNECTED":
                return [self._affine(operation, taken, made)]
            case "MAX_POOL_2D":
                options = operation.options(schema.Pool2DOptions)
                window = _window(options, self._shape(taken), (options.FilterHeight(), options.FilterWidth()))
                self._refuse(np.any(window.padding), "max pooling over the image's edge")
                low, high = self._limits(options)
                return [MaxPool(window), *([Clamp(low, high)] if np.isfinite(low) else [])]
            case "RELU":
                return [Clamp(0.0, np.inf)]
            case "RESHAPE":
                self._refuse(len(self._shape(made)) != 1, f"RESHAPE to {self._shape(made)}")
                return [Reshape()]
            case "QUANTIZE" if self._is_float(taken):
                return list(filter(None, [self._grid(made)]))
            case "DEQUANTIZE" if self._grid(taken):
                # Its one rounding is far within what float32 layers behind it are given, and keeps the order of logits.
                return []
        raise self._refused(kind)

    def _affine(self, operation: Operation, taken: int, made: int) -> Affine:
        kind = operation.kind
        weights, scales = self._weights(operation.inputs[1], taken)
        linear, options = self._linear(operation, weights, self._shape(taken))
        channels = linear.output_shape[-1]
        low, high = self._limits(options, f" of {kind}")
        has_bias = len(operation.inputs) > 2 and operation.inputs[2] >= 0
        stored = self._constant(operation.inputs[2]).astype(np.float64) if has_bias else np.zeros(channels)
        if scales is None:
            return Affine(linear, stored, arithmetic.of_float(linear.fan_in), low, high)
        own = np.broadcast_to(scales * float(self._tensors[taken].scales[0]), (channels,))
        magnitudes = linear.magnitudes()(np.ones((1, *self._shape(taken))))[0]
        largest = 255 * magnitudes / np.broadcast_to(scales, (channels,)) + np.abs(stored)
        self._refuse(largest.max() >= arithmetic.LARGEST_SUM, f"{kind}, whose sums may pass 32 bits")
        grid = self._grid(made)
        if grid is None:
            raise self._refused(OTHER)
        # Ends of an activation are rounded to the grid, on which 0 always lies.
        if np.isfinite(high):
            self._refuse(
                abs(high / grid.step % 1 - 0.5) < TIE,
                f"{kind}, whose activation ends in the middle of two numbers of its grid",
            )
            high = grid.step * np.rint(high / grid.step)
        return Affine(
            linear,
            stored * own,
            arithmetic.of_int8(own / grid.step, grid.step),
            max(low, grid.low),
            min(high, grid.high),
        )

    def _linear(self, operation: Operation, weights: np.ndarray, shape: tuple[int, ...]) -> tuple[LinearMap, Any]:
        kind = operation.kind
        if kind == "FULLY_CONNECTED":
            options = operation.options(schema.FullyConnectedOptions)
            self._refuse(
                options.WeightsFormat() or weights.shape[1] != np.prod(shape),
                "FULLY_CONNECTED over a part of its input",
            )
            return dense(weights), options
        depthwise = kind == "DEPTHWISE_CONV_2D"
        options = operation.options(schema.DepthwiseConv2DOptions if depthwise else schema.Conv2DOptions)
        self._refuse(options.DilationHFactor() > 1 or options.DilationWFactor() > 1, f"dilated {kind}")
        rows, columns, channels = shape
        self._refuse(not depthwise and weights.shape[3] != channels, f"grouped {kind}")
        return convolution(
            weights[0].reshape(*weights.shape[1:3], channels, -1) if depthwise else weights,
            _window(options, shape, (weights.shape[1], weights.shape[2])),
            (rows, columns),
            depthwise,
        ), options

    def _limits(self, options: Any, whose: str = "") -> tuple[float, float]:
        activation = options.FusedActivationFunction()
        self._refuse(activation not in LIMITS, f"activation {activation}{whose}")
        return LIMITS[activation]

    def _weights(self, number: int, taken: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Weights as real numbers, float64, and their scale in each channel, or None for float32."""
        tensor, types = self._tensors[number], {self._tensors[number].type, self._tensors[taken].type}
        stored = self._constant(number)
        if types == {"FLOAT32"}:
            return stored.astype(np.float64), None
        self._refuse(types != {"INT8"}, "a layer whose weights and inputs are neither both float32 nor both int8")
        self._refuse(tensor.zeros.any(), "weights of 8 bits whose zero point is not 0")
        return tensor.dequantized(stored), tensor.scales

    def _constant(self, number: int) -> np.ndarray:
        tensor = self._tensors[number]
        if tensor.type not in ("FLOAT32", "INT8", "INT32") or tensor.numbers is None:
            raise self._refused("weights that are no stored float32, int8 or int32")
        return tensor.numbers

    def _grid(self, number: int) -> Grid | None:
        """The grid of a tensor; None for float32."""
        tensor = self._tensors[number]
        if self._is_float(number):
            return None
        self._refuse(tensor.type != "INT8", OTHER)
        step, zero = float(tensor.scales[0]), int(tensor.zeros[0])
        return Grid(step, step * (-128 - zero), step * (127 - zero))

    def _is_float(self, number: int) -> bool:
        return self._tensors[number].type == "FLOAT32"

    def _shape(self, number: int) -> tuple[int, ...]:
        return self._tensors[number].shape[1:]

    def _refuse(self, wrong: object, what: str) -> None:
        if wrong:
            raise self._refused(what)

    def _refused(self, what: str) -> QuantriftError:
        return QuantriftError(
            f"{self._path}: has {what}, for which there are no bounds; bounds are for chains of convolutions, dense "
            "layers, ReLU and max pooling in float32 or int8"
        )


def _window(options: Any, shape: tuple[int, ...], size: tuple[int, int]) -> Window:
    return Window.of(
        (shape[0], shape[1]), size, (options.StrideH(), options.StrideW()), options.Padding() == schema.Padding.SAME
    )
