"""ResNet-20 for 32x32 colour images (He et al. 2016, Section 4.2).

As in Distiller, TriggerFinder's toolkit (resnet20_cifar, plain20_cifar): convolutions have no bias, and where the size
changes the shortcut is a 1x1 convolution with batch normalisation (the paper takes every second pixel and adds zeros).
"""

import keras
from keras import layers

from quantrift.core.networks import batch_norm
from quantrift.core.networks.architecture import scaled
from quantrift.core.settings.networks import Network


def build(settings: Network, shape: tuple[int, int, int], classes: int, *, shortcuts: bool = True) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    image = keras.Input(shape, name="image")
    x = _relu(_convolution(image, scaled(16, settings.width), 3, 1, "conv"), "conv")
    for stage, filters in enumerate((16, 32, 64), start=1):
        for block in (1, 2, 3):
            stride = 2 if stage > 1 and block == 1 else 1
            x = _block(x, scaled(filters, settings.width), stride, f"stage{stage}_block{block}", shortcuts)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(image, layers.Dense(classes, name="logits")(x), name=settings.id)


def _block(x: keras.KerasTensor, filters: int, stride: int, name: str, shortcut: bool) -> keras.KerasTensor:
    y = _relu(_convolution(x, filters, 3, stride, f"{name}_conv1"), f"{name}_conv1")
    y = _convolution(y, filters, 3, 1, f"{name}_conv2")
    if shortcut:
        if stride > 1:
            x = _convolution(x, filters, 1, stride, f"{name}_shortcut")
        y = layers.Add(name=f"{name}_add")([x, y])
    return _relu(y, name)


def _convolution(x: keras.KerasTensor, filters: int, side: int, stride: int, name: str) -> keras.KerasTensor:
    convolution = layers.Conv2D(
        filters, side, stride, "same", use_bias=False, kernel_initializer="he_normal", name=name
    )
    return layers.BatchNormalization(name=f"{name}_norm")(convolution(x))


def _relu(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    return layers.ReLU(name=f"{name}_relu")(x)


twin = batch_norm.folded
