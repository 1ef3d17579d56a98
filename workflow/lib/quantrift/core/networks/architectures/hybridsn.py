"""HybridSN, a 3-D and 2-D convolutional network for hyperspectral patches (Roy et al. 2020, Table I), and its twin.

TensorFlow Lite has no 8-bit 3-D convolution. But with the depth axis folded into the channels, a 3-D convolution is a
2-D convolution whose kernel is block-Toeplitz along the channels: output depth d reads input depths d .. d + k - 1 with
the same weights for every d, and nothing else.
"""

import keras
import numpy as np
from keras import layers

from quantrift.core.networks.architecture import scaled
from quantrift.core.networks.rewriting import applied, copied
from quantrift.core.settings.networks import HybridSN


def build(settings: HybridSN, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from patches (n, H, W, B) of whitened components to logits (n, classes), both float32.

    It ends in logits where the paper has a softmax: after quantization they keep more than its 256 levels.
    """
    rows, columns, bands = shape
    patch = keras.Input(shape, name="patch")
    x = layers.Reshape((rows, columns, bands, 1), name="unfold")(patch)
    for number, (filters, depth) in enumerate(((8, 7), (16, 5), (32, 3)), start=1):
        width = scaled(filters, settings.width)
        x = layers.Conv3D(width, (3, 3, depth), activation="relu", name=f"conv3d_{number}")(x)
    x = layers.Reshape((x.shape[1], x.shape[2], x.shape[3] * x.shape[4]), name="fold")(x)
    x = layers.Conv2D(scaled(64, settings.width), 3, activation="relu", name="conv2d")(x)
    x = layers.Flatten(name="flatten")(x)
    for number, units in enumerate((256, 128), start=1):
        x = layers.Dense(scaled(units, settings.width), activation="relu", name=f"dense{number}")(x)
        x = layers.Dropout(0.4, name=f"dropout{number}")(x)
    return keras.Model(patch, layers.Dense(classes, name="logits")(x), name="hybridsn")


def twin(model: keras.Model) -> keras.Model:
    """The same function with the spectral depth folded into the channels, so that all layers exist in 8 bits."""
    patch = x = keras.Input(model.input_shape[1:], name="patch")
    depth = model.input_shape[-1]
    for layer in model.layers:
        if isinstance(layer, layers.Conv3D):
            x, depth = fold(layer, x, depth)
        elif isinstance(layer, layers.Conv2D | layers.Dense | layers.Flatten):
            x = copied(layer, [x])
    return keras.Model(patch, x, name=model.name)


def folded_kernel(kernel: np.ndarray, depth: int) -> np.ndarray:
    """The 2-D kernel of a 3-D convolution without padding or stride along the depth.

    Args:
        kernel: (rows, columns, k, channels in, channels out), float.
        depth: depth D of the input.

    Returns:
        (rows, columns, D * channels in, (D - k + 1) * channels out); depth is the slow axis of both channel axes.
    """
    rows, columns, k, channels, filters = kernel.shape
    positions = depth - k + 1
    folded = np.zeros((rows, columns, depth, channels, positions, filters), kernel.dtype)
    for d in range(positions):
        folded[:, :, d : d + k, :, d] = kernel
    return folded.reshape(rows, columns, depth * channels, positions * filters)


def fold(convolution: layers.Conv3D, folded: keras.KerasTensor, depth: int) -> tuple[keras.KerasTensor, int]:
    """Apply a trained ``Conv3D`` as a ``Conv2D`` of the same name to a tensor (n, H, W, depth * channels).

    The convolution must have unit stride and dilation and no padding, and its depth must be its last spatial axis.

    Returns:
        The result, (n, H', W', depth' * filters), and depth'.
    """
    kernel, bias = convolution.get_weights()
    positions = depth - kernel.shape[2] + 1
    layer = layers.Conv2D(
        positions * kernel.shape[-1], kernel.shape[:2], activation=convolution.activation, name=convolution.name
    )
    return applied(layer, folded, [folded_kernel(kernel, depth), np.tile(bias, positions)]), positions
