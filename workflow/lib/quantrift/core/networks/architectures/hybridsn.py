"""HybridSN, a 3-D and 2-D convolutional network for hyperspectral patches (Roy et al. 2020, Table I)."""

import keras
from keras import layers

from quantrift.core.networks.architecture import scaled
from quantrift.core.networks.folding import fold
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
            copy = layer.from_config(layer.get_config())
            x = copy(x)
            copy.set_weights(layer.get_weights())
    return keras.Model(patch, x, name=model.name)
