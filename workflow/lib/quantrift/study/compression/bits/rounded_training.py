"""Training with rounded weights (thesis on heterogeneous quantization, Section 3.1).

A step rounds all weights, computes the loss and its gradient with the rounded ones, and changes the float weights that
are behind them.
"""

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from quantrift.core.networks.rewriting import copied, rewritten
from quantrift.study.compression.bits.rounding import FLOAT, Bits, half_steps, straight_through


def with_weights_behind(network: keras.Model, bits: Sequence[Bits]) -> keras.Model:
    """A copy of ``network`` that computes with its kernels rounded and trains the float weights behind them.

    Args:
        network: of layers Dense, Conv2D and Conv3D, and others without kernels.
        bits: of each kernel's weights, in the order of the layers.
    """
    of_layer = iter(bits)

    def apply(layer: layers.Layer, operands: list[keras.KerasTensor]) -> keras.KerasTensor:
        if type(layer) not in ROUNDED:
            return copied(layer, operands)
        copy = ROUNDED[type(layer)].from_config(layer.get_config())
        copy.bits = next(of_layer)
        result = copy(operands[0])
        for value, initial in zip(copy.trainable_weights, layer.trainable_weights, strict=True):
            value.assign(initial)
        return result

    return rewritten(network, apply)


def settle(network: keras.Model, latent: keras.Model) -> None:
    """Leave in ``network`` the rounded weights of ``latent``, which ``with_weights_behind`` made of it."""
    for layer in network.layers:
        trained = latent.get_layer(layer.name)
        if isinstance(trained, Rounded):
            layer.kernel.assign(trained.rounded_kernel())
            if trained.bias is not None:
                layer.bias.assign(trained.bias)
        else:
            layer.set_weights(trained.get_weights())


class Rounded(layers.Layer):
    """Part of a layer that computes with its kernel rounded; weight decay and the like see the kernel behind it."""

    bits: Bits
    """Of each weight; set before the layer is built."""
    kernel: keras.Variable
    bias: keras.Variable | None

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Make the layer's weights, and one that holds what Equation 3.1 needs of the bits."""
        super().build(input_shape)
        # One number stands for all where all are equal: a step then reads less memory.
        half = half_steps(self.bits if np.ptp(self.bits) else self.bits.min()).astype(np.float32)
        self.half = self.add_weight(name="half_steps", shape=half.shape, trainable=False)
        self.half.assign(half)

    def rounded_kernel(self) -> tf.Tensor:
        """The kernel that the layer computes with."""
        kernel = tf.convert_to_tensor(self.kernel)
        if self.bits.min() == FLOAT:
            return ops.clip(kernel, -1, 1)
        return straight_through(kernel, tf.convert_to_tensor(self.half))


class RoundedConvolution(Rounded):
    """Part of a convolution that computes with its kernel rounded."""

    def convolution_op(self, inputs: tf.Tensor, _: keras.Variable) -> tf.Tensor:
        """Convolve with the rounded kernel."""
        return super().convolution_op(inputs, self.rounded_kernel())


class RoundedConv2D(RoundedConvolution, layers.Conv2D):
    """A 2-D convolution with rounded weights."""


class RoundedConv3D(RoundedConvolution, layers.Conv3D):
    """A 3-D convolution with rounded weights."""


class RoundedDense(Rounded, layers.Dense):
    """A dense layer with rounded weights."""

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """As Keras's own, with the rounded kernel."""
        x = ops.matmul(inputs, self.rounded_kernel())
        return self.activation(x if self.bias is None else ops.add(x, self.bias))


ROUNDED = {layers.Conv2D: RoundedConv2D, layers.Conv3D: RoundedConv3D, layers.Dense: RoundedDense}
"""Kind of layer with a kernel -> the layer that replaces it while training."""
