"""SSRN, a residual network of 3-D convolutions for hyperspectral patches (Zhong et al. 2018).

As in its public code, normalisation and ReLU come before the convolutions of a residual block. Chosen where that code
and the paper differ: two blocks of each kind (it trains one), plain sums as shortcuts (it has 1x1x1 convolutions in
the spatial blocks), and one normalisation behind each pair of blocks (it has two in a row).
"""

import keras
from keras import layers

from quantrift.core.base.errors import refuse
from quantrift.core.networks.architecture import scaled
from quantrift.core.networks.batch_norm import folded
from quantrift.core.networks.rewriting import applied, copied, rewritten
from quantrift.core.settings.networks import SSRN

KERNEL = 7
"""Bands that a spectral kernel spans."""


def build(settings: SSRN, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from patches (n, H, W, B) of standardised bands to logits (n, classes), both float32.

    Raises:
        QuantriftError: if there are fewer bands than a kernel spans.
    """
    rows, columns, bands = shape
    refuse((bands < KERNEL, f"ssrn needs at least {KERNEL} bands, got {bands}; choose another network"))
    filters, channels = scaled(24, settings.width), scaled(128, settings.width)
    patch = keras.Input(shape, name="patch")
    x = layers.Reshape((rows, columns, bands, 1), name="unfold")(patch)
    x = _normalised(_convolution(x, filters, (1, 1, KERNEL), "spectral", strides=(1, 1, 2)), "spectral")
    x = _blocks(x, (1, 1, KERNEL), "spectral")
    x = _normalised(_convolution(x, channels, (1, 1, x.shape[3]), "reduce"), "reduce")
    x = layers.Reshape((rows, columns, channels, 1), name="fold")(x)
    x = _normalised(_convolution(x, filters, (3, 3, channels), "spatial"), "spatial")
    x = _blocks(x, (3, 3, 1), "spatial")
    # The depth is 1 here; TensorFlow Lite has no 3-D pooling.
    x = layers.Reshape((rows - 2, columns - 2, filters), name="flatten_depth")(x)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    x = layers.Dropout(0.5, name="dropout")(x)
    return keras.Model(patch, layers.Dense(classes, name="logits")(x), name="ssrn")


def twin(model: keras.Model) -> keras.Model:
    """The same function in 2-D convolutions without batch normalisation, so that all layers exist in 8 bits.

    A 1x1xk convolution sees pixels as rows and bands as columns; a 3x3xK one, over the whole depth K, is a 2-D
    convolution of K channels.
    """
    rows, columns, bands = model.input_shape[1:]

    def apply(layer: layers.Layer, inputs: list[keras.KerasTensor]) -> keras.KerasTensor:
        match layer:
            case layers.Conv3D():
                return _in_2d(layer, inputs[0])
            case layers.Reshape(name="unfold"):
                return layers.Reshape((rows * columns, bands, 1), name=layer.name)(inputs[0])
            case layers.Reshape(name="fold"):
                return layers.Reshape((rows, columns, inputs[0].shape[-1]), name=layer.name)(inputs[0])
            case layers.Reshape() | layers.Dropout():
                return inputs[0]
        return copied(layer, inputs)

    return folded(rewritten(model, apply))


def _convolution(
    x: keras.KerasTensor,
    filters: int,
    kernel: tuple[int, int, int],
    name: str,
    strides: tuple[int, int, int] = (1, 1, 1),
    padding: str = "valid",
) -> keras.KerasTensor:
    return layers.Conv3D(filters, kernel, strides, padding, kernel_initializer="he_normal", name=name)(x)


def _normalised(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    return layers.ReLU(name=f"{name}_relu")(layers.BatchNormalization(name=f"{name}_norm")(x))


def _blocks(x: keras.KerasTensor, kernel: tuple[int, int, int], kind: str) -> keras.KerasTensor:
    """Two residual blocks, normalised; ``x`` is so already."""
    inner = x
    for block in (1, 2):
        residual = inner
        for half in ("a", "b"):
            if half == "b":
                residual = _normalised(residual, f"{kind}{block}")
            residual = _convolution(residual, x.shape[-1], kernel, f"{kind}{block}{half}", padding="same")
        x = layers.Add(name=f"{kind}{block}_add")([x, residual])
        inner = _normalised(x, f"{kind}{block}_add")
    return inner


def _in_2d(layer: layers.Conv3D, x: keras.KerasTensor) -> keras.KerasTensor:
    kernel, bias = layer.get_weights()
    rows, columns, depth, channels, filters = kernel.shape
    spectral = rows == columns == 1
    flat = kernel.reshape((1, depth, channels, filters) if spectral else (rows, columns, depth * channels, filters))
    strides = (1, layer.strides[2]) if spectral else 1
    return applied(layers.Conv2D(filters, flat.shape[:2], strides, layer.padding, name=layer.name), x, [flat, bias])
