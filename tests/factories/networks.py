"""Small Keras networks."""

import keras
from keras import layers


def chain(shape: tuple[int, ...], *parts: layers.Layer) -> keras.Model:
    """Layers one after another on inputs of this shape, always with the same first weights."""
    keras.utils.set_random_seed(0)
    x = given = keras.Input(shape)
    for part in parts:
        x = part(x)
    return keras.Model(given, x)
