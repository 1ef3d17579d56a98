"""Size of a Keras network, and its multiply-accumulate operations for one input."""

import math

import keras
from keras import layers

CONVOLUTIONS = (layers.Conv2D, layers.Conv3D, layers.DepthwiseConv2D)


def parameters(model: keras.Model) -> int:
    """Number of trained weights, as papers count them: without the running statistics of batch normalisation."""
    return sum(math.prod(weight.shape) for weight in model.trainable_weights)


def macs(model: keras.Model) -> dict[str, int]:
    """Multiply-accumulates of each convolution and dense layer of ``model``, by its name; biases are not counted."""
    # Positions without the channels: those are in the kernel's shape.
    return {
        layer.name: math.prod(layer.output.shape[1:-1]) * math.prod(layer.kernel.shape)
        for layer in model.layers
        if isinstance(layer, (*CONVOLUTIONS, layers.Dense))
    }


def conv3d_share(model: keras.Model) -> float:
    """Share of ``model``'s multiply-accumulates in 3-D convolutions, for which LiteRT has no 8-bit kernel."""
    counts = macs(model)
    return sum(counts[layer.name] for layer in model.layers if isinstance(layer, layers.Conv3D)) / sum(counts.values())
