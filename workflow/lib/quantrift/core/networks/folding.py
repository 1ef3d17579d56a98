"""Exact conversion of 3-D convolutions to 2-D ones.

TensorFlow Lite has no 8-bit 3-D convolution. But with the depth axis folded into the channels, a 3-D convolution
is a 2-D convolution whose kernel is block-Toeplitz along the channels: output depth d reads input depths
d .. d + k - 1 with the same weights for every d, and nothing else.
"""

import keras
import numpy as np
from keras import layers


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
        positions * kernel.shape[-1],
        kernel.shape[:2],
        activation=convolution.activation,
        name=convolution.name,
    )
    result = layer(folded)
    layer.set_weights([folded_kernel(kernel, depth), np.tile(bias, positions)])
    return result, positions
