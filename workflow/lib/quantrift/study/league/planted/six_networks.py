"""Six small networks of three families, of which checkers see faulty and good files: the three of ``bench verdicts``,
two perceptrons, and convolutions with batch normalisation. All take 28x28 digits.
"""

from collections.abc import Callable, Mapping

import keras
from keras import layers

from quantrift.study.league.planted.trained_networks import CLASSES, KINDS, Kind, relu, training

SIDES = (28, 28, 1)


def _dense(widths: tuple[int, ...], normalised: bool) -> keras.Model:
    image = keras.Input(SIDES, name="image")
    x = layers.Flatten(name="flat")(image)
    for number, width in enumerate(widths, start=1):
        name = f"dense{number}"
        x = layers.Dense(width, use_bias=not normalised, name=name)(x)
        x = relu(x, name) if normalised else layers.ReLU(name=f"{name}_relu")(x)
    return keras.Model(image, layers.Dense(CLASSES, name="logits")(x))


def _perceptron() -> keras.Model:
    """One hidden layer."""
    return _dense((64,), normalised=False)


def _deep_perceptron() -> keras.Model:
    """Four hidden layers with batch normalisation."""
    return _dense((96, 64, 48, 32), normalised=True)


def _convolutions() -> keras.Model:
    """Four convolutions with batch normalisation, two of them with stride."""
    image = x = keras.Input(SIDES, name="image")
    for number, (filters, stride) in enumerate(((8, 1), (16, 2), (16, 1), (24, 2)), start=1):
        name = f"conv{number}"
        x = relu(layers.Conv2D(filters, 3, stride, "same", use_bias=False, name=name)(x), name)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(image, layers.Dense(CLASSES, name="logits")(x), name="convolutions")


def _kind(name: str, title: str, build: Callable[[], keras.Model], black: float, white: float, epochs: int) -> Kind:
    return Kind(name, title, build, black, white, False, training(epochs))


LENET, SEPARABLE, RESIDUAL = KINDS
FAMILIES: Mapping[str, tuple[Kind, ...]] = {
    "dense": (
        _kind("perceptron", "one hidden layer of 64, inputs from 0 to 1", _perceptron, 0.0, 1.0, 8),
        _kind("deep_perceptron", "four hidden layers, inputs from -1 to 1", _deep_perceptron, -1.0, 1.0, 8),
    ),
    "convolutional": (
        LENET,
        _kind("convolutions", "four convolutions, bytes from 0 to 255", _convolutions, 0.0, 255.0, 4),
    ),
    "depthwise or residual": (SEPARABLE, RESIDUAL),
}
"""Family -> its networks."""
FAMILY = {kind.name: family for family, kinds in FAMILIES.items() for kind in kinds}
NETWORKS = tuple(kind for kinds in zip(*FAMILIES.values(), strict=True) for kind in kinds)
"""One of each family in turn, so that the first three are of three families."""
