"""Fake-quantized layers: trainable layers in float that round as TensorFlow Lite does (Jacob et al. 2018, §3).

Values are rounded to the 256 levels of their grid; gradients pass through as if they were not. Kernels of convolutions
have one symmetric grid per output channel, kernels of dense layers one, as the converter takes no others. Biases are
whole numbers of levels of the weights times levels of the inputs.
"""

from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from keras import layers, ops

from quantrift.core.networks.training.tying import FREE, Tensor, Tie

RATE = 0.01
"""Share of a batch in the moving average of ranges."""
FURTHEST = 4.0
"""Largest range of activations, as a multiple of the range that half of the inputs reach.

Scenes hold single damaged pixels, like one of 836 standard deviations in Salinas A, where half of SSRN's patches reach
2.9: a grid that holds it has one level for all the rest. Ranges of ordinary data stay below this limit.
"""
SMALLEST_CHANNEL = 2.0**-10
"""Least range of an output channel's weights, in parts of the layer's: biases are integers in parts of a channel's
grid times the input's, and those of a channel of zeros would not fit 32 bits."""


class Range(layers.Layer):
    """Rounds activations to a grid between two ends that it learns as moving averages of the extremes of batches.

    The grid always holds 0, which padding needs, and passes over what few inputs reach alone (``FURTHEST``). While
    training is on, the first ``updates`` batches move the ends, in the beginning as plain averages; later ones do not.
    """

    def __init__(self, updates: int, **settings: Any) -> None:
        super().__init__(**settings)
        self._updates = updates

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Create the ends of the range and the number of batches met, none of which is trained by gradients."""
        self._low, self._high, self._met = (
            self.add_weight(name=name, shape=(), initializer="zeros", trainable=False)
            for name in ("low", "high", "met")
        )

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        """Activations of any shape, rounded."""
        if training:
            rate = ops.where(self._met < self._updates, ops.maximum(RATE, 1 / (self._met + 1)), 0.0)
            low, high = _extremes(x)
            self._low.assign(self._low + rate * (low - self._low))
            self._high.assign(self._high + rate * (high - self._high))
            self._met.assign(self._met + 1)
        low, high = ops.convert_to_tensor(self._low), ops.convert_to_tensor(self._high)
        return tf.quantization.fake_quant_with_min_max_vars(x, low, high)

    def level(self) -> Tensor:
        """Distance of two neighbours on the grid."""
        return (ops.convert_to_tensor(self._high) - ops.convert_to_tensor(self._low)) / 255


class Ranged(layers.Layer):
    """A layer without weights, whose outputs are rounded; named like it."""

    def __init__(self, layer: layers.Layer, range_: Range) -> None:
        super().__init__(name=layer.name)
        self._layer, self._range = layer, range_

    def call(self, x: Tensor | list[Tensor], training: bool = False) -> Tensor:
        """What the layer makes of ``x``, rounded."""
        return self._range(self._layer(x), training=training)


@dataclass(frozen=True)
class Rounding:
    """How a layer with weights is rounded."""

    inputs: Range
    """The grid of its inputs."""
    outputs: Range | None
    """The grid of its outputs, if it is not that of a layer behind it."""


class Convolution(layers.Conv2D):
    """A 2-D convolution with tied weights; in float without a ``rounding``."""

    def __init__(self, tie: Tie = FREE, rounding: Rounding | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self._tie, self._rounding = tie, rounding
        # A part of this layer, as the grid of its inputs is of another.
        self._outputs = rounding.outputs if rounding else None

    def tied_weights(self) -> list[Tensor]:
        """Kernel and, if there is one, bias, as they stand in a ``Conv2D`` that computes the same."""
        return [self._tie.kernel(ops.convert_to_tensor(self.kernel))] + (
            [self._tie.bias(ops.convert_to_tensor(self.bias))] if self.use_bias else []
        )

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        """Images (n, H', W', filters) of images (n, H, W, C)."""
        kernel, *bias = self.tied_weights()
        if self._rounding:
            largest = ops.max(ops.abs(kernel), axis=(0, 1, 2))
            largest = ops.maximum(largest, ops.maximum(SMALLEST_CHANNEL * ops.max(largest), 1e-6))
            largest = ops.stop_gradient(largest)
            kernel = tf.quantization.fake_quant_with_min_max_vars_per_channel(
                kernel, -largest, largest, narrow_range=True
            )
            bias = [_rounded_bias(value, largest, self._rounding.inputs) for value in bias]
        x = self.convolution_op(x, kernel)
        x = self.activation(x + bias[0] if bias else x)
        return self._outputs(x, training=training) if self._outputs else x


class Dense(layers.Dense):
    """A dense layer; in float without a ``rounding``."""

    def __init__(self, rounding: Rounding | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self._rounding = rounding
        self._outputs = rounding.outputs if rounding else None

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        """Units (n, ..., units) of units (n, ..., C)."""
        kernel = ops.convert_to_tensor(self.kernel)
        bias = [ops.convert_to_tensor(self.bias)] if self.use_bias else []
        if self._rounding:
            largest = ops.stop_gradient(ops.maximum(ops.max(ops.abs(kernel)), 1e-6))
            kernel = tf.quantization.fake_quant_with_min_max_vars(kernel, -largest, largest, narrow_range=True)
            bias = [_rounded_bias(value, largest, self._rounding.inputs) for value in bias]
        x = ops.matmul(x, kernel)
        x = self.activation(x + bias[0] if bias else x)
        return self._outputs(x, training=training) if self._outputs else x


def _rounded_bias(bias: Tensor, largest: Tensor, inputs: Range) -> Tensor:
    """A bias in whole numbers of levels, for weights whose grid reaches to ``largest``."""
    level = ops.stop_gradient(largest / 127 * inputs.level())
    return bias + ops.stop_gradient(level * ops.round(bias / level) - bias)


def _extremes(x: Tensor) -> tuple[Tensor, Tensor]:
    """Ends of a range that holds 0 and a batch (n, ...) but for inputs that reach much further than half of them."""
    axes = tuple(range(1, len(x.shape)))
    below, above = -ops.min(x, axis=axes), ops.max(x, axis=axes)
    half = ops.maximum(ops.median(below), ops.median(above))
    # Where half of the inputs are zeros, they say nothing of the others.
    limit = ops.where(half > 0, FURTHEST * half, float("inf"))
    low, high = (ops.clip(ops.max(one), 0.0, limit) for one in (below, above))
    return -low, ops.maximum(high, 1e-6)
