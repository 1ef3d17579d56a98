"""Networks of a few convolutions, each with ReLU and 2x2 max pooling, and a few dense layers behind them."""

from collections.abc import Sequence
from typing import Literal

import keras
from keras import layers

from quantrift.core.networks.architecture import scaled
from quantrift.core.settings.networks import Network


def build(
    settings: Network,
    shape: tuple[int, int, int],
    classes: int,
    *,
    filters: Sequence[int],
    hidden: Sequence[int],
    padding: Literal["same", "valid"] = "same",
) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32.

    Args:
        settings: settings of the network; its width scales filters and units.
        shape: rows, columns and channels of an image.
        classes: number of classes.
        filters: filters of each 5x5 convolution.
        hidden: units of each dense layer with ReLU between the convolutions and the logits.
        padding: whether convolutions keep the size of their input.
    """
    image = x = keras.Input(shape, name="image")
    for number, count in enumerate(filters, start=1):
        x = layers.Conv2D(scaled(count, settings.width), 5, padding=padding, activation="relu", name=f"conv{number}")(x)
        x = layers.MaxPooling2D(name=f"pool{number}")(x)
    x = layers.Flatten(name="flatten")(x)
    for number, units in enumerate(hidden, start=1):
        x = layers.Dense(scaled(units, settings.width), activation="relu", name=f"dense{number}")(x)
    return keras.Model(image, layers.Dense(classes, name="logits")(x), name=settings.id)
