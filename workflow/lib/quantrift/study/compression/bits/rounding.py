"""Equation 3.1 of the thesis on heterogeneous quantization: a weight becomes the nearest of N = 2^bits levels.

    x' = 2 / (N - 1) * round[(N - 1) * (clip(x, -1, 1) + 1) / 2] - 1

The levels lie evenly between -1 and 1. As their number is even, 0 is none of them: one bit leaves -1 and 1, two bits
-1, -1/3, 1/3 and 1. Half-way values, as 0 is, go to the even one of the two levels, as in TensorFlow: 0 becomes -1 with
one bit, and the least positive level with more. 32 bits mean a float: clipped where Equation 3.1 clips, else unchanged.
"""

from collections.abc import Callable

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

Bits = NDArray[np.uint8]
"""Number of bits of each weight, 1 to 32."""
FLOAT = 32
"""Number of bits at which nothing is rounded."""


def half_steps(bits: Bits) -> NDArray[np.float64]:
    """(N - 1) / 2 for each number of bits: how many steps between levels make up 1."""
    return (2.0**bits - 1) / 2


def rounded(weights: NDArray[np.floating], bits: Bits) -> NDArray[np.float64]:
    """Weights of any shape by Equation 3.1, each with its own of ``bits``, of the same shape."""
    clipped = np.clip(weights, -1, 1).astype(np.float64)
    half = half_steps(bits)
    return np.where(bits == FLOAT, clipped, np.round(clipped * half + half) / half - 1)


def rounded_within_range(weights: NDArray[np.float32], bits: Bits) -> NDArray[np.float32]:
    """Weights of a trained layer, rounded after scaling by the largest of their magnitudes, and scaled back.

    Trained weights are often so small that all of them would end at the two levels around 0. With 32 bits they stay as
    they are; so they do where all are 0.
    """
    largest = float(np.abs(weights).max())
    if largest == 0:
        return weights
    levels = (rounded(weights / np.float64(largest), bits) * largest).astype(np.float32)
    return np.where(bits == FLOAT, weights, levels)


@tf.custom_gradient
def straight_through(weights: tf.Tensor, half: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], object]]:
    """Weights by Equation 3.1 in a network that is trained; both float32, ``half`` from ``half_steps``.

    The gradient passes as if nothing were rounded where a weight is within [-1, 1], and not at all where it is clipped
    (Equation 2.2), as the true gradient of clipping.
    """

    def gradient(upstream: tf.Tensor) -> tuple[tf.Tensor, None]:
        return tf.where(tf.abs(weights) <= 1, upstream, 0), None

    return tf.round(tf.clip_by_value(weights, -1, 1) * half + half) / half - 1, gradient
