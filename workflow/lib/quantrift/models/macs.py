"""Multiply-accumulate operations of a Keras network, for one input."""

import math

import keras
from keras import layers


def macs(model: keras.Model) -> dict[str, int]:
    """Multiply-accumulates of each convolution and dense layer of ``model``, by its name; biases are not counted."""
    counts = {}
    for layer in model.layers:
        if isinstance(layer, layers.Conv2D | layers.Conv3D):
            positions = math.prod(layer.output.shape[1:-1])
            counts[layer.name] = positions * math.prod(layer.kernel.shape)
        elif isinstance(layer, layers.Dense):
            counts[layer.name] = math.prod(layer.output.shape[1:-1]) * math.prod(layer.kernel.shape)
    return counts


def conv3d_share(model: keras.Model) -> float:
    """Share of ``model``'s multiply-accumulates in 3-D convolutions, for which LiteRT has no 8-bit kernel."""
    counts = macs(model)
    in_conv3d = sum(counts[layer.name] for layer in model.layers if isinstance(layer, layers.Conv3D))
    return in_conv3d / sum(counts.values())
