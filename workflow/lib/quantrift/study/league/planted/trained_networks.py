"""Small networks for planted pairs, trained once and kept: three, each with inputs on another scale, and five more."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers

from quantrift.core.base.inputs import ImageStack, MeasuredStack
from quantrift.core.networks.architectures import lenet5, resnet20
from quantrift.core.networks.keras_files import load, save
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.settings.networks import LeNet5, ResNet20
from quantrift.core.settings.training import Training
from quantrift.study.league.planted.tinted_digits import Images

CLASSES = 10
MEAN, DEVIATION = 0.1307, 0.3081
"""Of MNIST's pixels from 0 to 1, as most public code states them."""
BLOCK = 4
"""Pixels along a side of what a column of a table is the mean of."""


@dataclass(frozen=True)
class Kind:
    """A network before training."""

    name: str
    title: str
    build: Callable[[], keras.Model]
    black: float
    """Value of the byte 0 at the network's input."""
    white: float
    """Value of the byte 255."""
    tinted: bool
    """Whether it takes three channels."""
    training: Training
    table: bool = False
    """Whether it takes rows of a table: the mean of each ``BLOCK`` x ``BLOCK`` pixels."""

    def inputs(self, images: np.ndarray, labels: np.ndarray) -> ImageStack | MeasuredStack:
        """Images, or rows of a table, as searches and training take them; all of them serve every purpose."""
        every = np.arange(len(images), dtype=np.int64)
        about: dict[str, Any] = {
            "dataset": "given",
            "title": self.title,
            "class_names": [str(number) for number in range(CLASSES)],
            "labels": labels.astype(np.int64),
            "train": every,
            "validation": every[:0],
            "test": every,
        }
        if not self.table:
            black, white = (np.array([end], np.float32) for end in (self.black, self.white))
            return ImageStack(**about, images=images, black=black, white=white)
        side = images.shape[1] // BLOCK
        values = images.reshape(len(images), side, BLOCK, side, BLOCK).mean(axis=(2, 4), dtype=np.float64) / 255
        values = self.black + (self.white - self.black) * values.reshape(len(images), 1, 1, side**2)
        none = np.full(side**2, -1, np.int64)
        return MeasuredStack(**about, values=values.astype(np.float32), kind="table", names=[], category=none)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network, with the material for faults."""

    kind: Kind
    model: keras.Model
    early: keras.Model
    """The same after the first epoch."""
    samples: np.ndarray
    """Training inputs, float32 (n, H, W, C), or (n, F) of a table, on which ranges of activations are measured."""
    others: np.ndarray
    """Fewer others."""
    inputs: np.ndarray
    """All training inputs."""


def trained(kind: Kind, images: Images, folder: Path) -> Trained:
    """The network, from ``folder`` if it is there; otherwise it is trained and written there.

    Args:
        kind: the network.
        images: training images, with as many channels as it takes.
        folder: of this network and these images alone.

    Raises:
        QuantriftError: if TensorFlow already runs in this process with another number of threads.
    """
    last, first = folder / "model.keras", folder / "early.keras"
    inputs = kind.inputs(images.train, images.train_labels)
    # Before anything is loaded: TensorFlow's threads are settled by then.
    reproducible(kind.training)
    if not (last.is_file() and first.is_file()):
        model = kind.build()
        # Training gives every input as (H, W, C).
        taught = keras.Sequential([keras.Input(inputs.shape), layers.Flatten(), model]) if kind.table else model
        # The optimizer starts anew after the first epoch, which costs nothing here.
        fit(taught, inputs, kind.training.model_copy(update={"epochs": 1}))
        save(model, first)
        fit(taught, inputs, kind.training.model_copy(update={"epochs": kind.training.epochs - 1}))
        save(model, last)
    model = load(last)
    every = inputs.take(inputs.train).reshape(-1, *model.input_shape[1:])
    return Trained(kind, model, load(first), every[:200], every[200:250], every)


def _separable() -> keras.Model:
    """Depthwise and pointwise convolutions with batch normalisation and swish, as MobileNets have them."""
    image = x = keras.Input((28, 28, 1), name="image")
    x = _swish(layers.Conv2D(12, 3, 2, "same", use_bias=False, name="stem")(x), "stem")
    for number, (filters, stride) in enumerate(((24, 1), (40, 2), (64, 1)), start=1):
        depthwise = layers.DepthwiseConv2D(3, stride, "same", use_bias=False, name=f"depthwise{number}")
        x = _swish(depthwise(x), f"depthwise{number}")
        x = _swish(layers.Conv2D(filters, 1, use_bias=False, name=f"pointwise{number}")(x), f"pointwise{number}")
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(image, layers.Dense(CLASSES, name="logits")(x), name="separable")


def _residual() -> keras.Model:
    """Two blocks with shortcuts behind a layer that standardises bytes."""
    image = keras.Input((28, 28, 3), name="image")
    x = layers.Rescaling(1 / 127.5, -1, name="rescaling")(image)
    x = _relu(layers.Conv2D(12, 3, 2, "same", use_bias=False, name="stem")(x), "stem")
    for number, (filters, stride) in enumerate(((12, 1), (24, 2)), start=1):
        name = f"block{number}"
        y = layers.Conv2D(filters, 3, stride, "same", use_bias=False, name=f"{name}_conv1")(x)
        y = layers.Conv2D(filters, 3, 1, "same", use_bias=False, name=f"{name}_conv2")(_relu(y, f"{name}_conv1"))
        y = _norm(y, f"{name}_conv2")
        if stride > 1:
            x = layers.Conv2D(filters, 1, stride, use_bias=False, name=f"{name}_shortcut")(x)
            x = _norm(x, f"{name}_shortcut")
        x = layers.ReLU(name=f"{name}_relu")(layers.Add(name=f"{name}_add")([x, y]))
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(image, layers.Dense(CLASSES, name="logits")(x), name="residual")


def _relu(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    return layers.ReLU(name=f"{name}_relu")(_norm(x, name))


def _swish(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    return layers.Activation("swish", name=f"{name}_swish")(_norm(x, name))


def _norm(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    # A first epoch is too short for the averages that Keras takes by default.
    return layers.BatchNormalization(momentum=0.9, name=f"{name}_norm")(x)


def training(epochs: int) -> Training:
    """Settings of a training; the rate falls for the last two epochs."""
    # All that counts is stated: no job of the workflow would run again for another default.
    return Training(
        epochs=epochs,
        batch=32,
        learning_rate=0.002,
        optimizer="adam",
        decay=0.0,
        drops=(epochs - 2,),
        cosine=False,
        weight_decay=0.0,
        augment=(),
        seed=0,
        threads=1,
        device="cpu",
    )


def _dense(widths: tuple[int, ...], normalised: bool, columns: int = 0) -> keras.Model:
    """On images, or on rows of so many columns."""
    image = x = keras.Input((columns,) if columns else (28, 28, 1), name="image")
    if not columns:
        x = layers.Flatten(name="flat")(image)
    for number, width in enumerate(widths, start=1):
        name = f"dense{number}"
        x = layers.Dense(width, use_bias=not normalised, name=name)(x)
        x = _relu(x, name) if normalised else layers.ReLU(name=f"{name}_relu")(x)
    return keras.Model(image, layers.Dense(CLASSES, name="logits")(x))


def _convolutions() -> keras.Model:
    """Four convolutions with batch normalisation, two of them with stride."""
    image = x = keras.Input((28, 28, 1), name="image")
    for number, (filters, stride) in enumerate(((8, 1), (16, 2), (16, 1), (24, 2)), start=1):
        name = f"conv{number}"
        x = _relu(layers.Conv2D(filters, 3, stride, "same", use_bias=False, name=name)(x), name)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(image, layers.Dense(CLASSES, name="logits")(x), name="convolutions")


KINDS: Sequence[Kind] = (
    Kind(
        "lenet5",
        "LeNet-5, inputs from 0 to 1",
        lambda: lenet5.build(LeNet5(width=1.0), (28, 28, 1), CLASSES),
        0.0,
        1.0,
        False,
        training(5),
    ),
    Kind(
        "separable",
        "depthwise convolutions, batch normalisation and swish, inputs standardised outside",
        _separable,
        (0 - MEAN) / DEVIATION,
        (1 - MEAN) / DEVIATION,
        False,
        training(6),
    ),
    Kind("residual", "residual blocks, bytes standardised inside", _residual, 0.0, 255.0, True, training(6)),
)
FAMILIES: Mapping[str, Sequence[Kind]] = {
    "dense": (
        Kind(
            "perceptron",
            "one hidden layer of 64, inputs from 0 to 1",
            lambda: _dense((64,), normalised=False),
            0.0,
            1.0,
            False,
            training(8),
        ),
        Kind(
            "deep_perceptron",
            "four hidden layers, inputs from -1 to 1",
            lambda: _dense((96, 64, 48, 32), normalised=True),
            -1.0,
            1.0,
            False,
            training(8),
        ),
        Kind(
            "table",
            "three hidden layers on rows of a table, inputs from 0 to 100",
            lambda: _dense((64, 48, 32), normalised=True, columns=(28 // BLOCK) ** 2),
            0.0,
            100.0,
            False,
            training(8),
            table=True,
        ),
    ),
    "convolutional": (
        KINDS[0],
        Kind("convolutions", "four convolutions, bytes from 0 to 255", _convolutions, 0.0, 255.0, False, training(4)),
    ),
    "depthwise or residual": (
        *KINDS[1:],
        Kind(
            "resnet20",
            "ResNet-20, inputs from 0 to 1",
            lambda: resnet20.build(ResNet20(width=1.0), (28, 28, 3), CLASSES),
            0.0,
            1.0,
            True,
            training(4),
        ),
    ),
}
"""Family -> its networks: eight in all, of which checkers see faulty and good files."""
FAMILY = {kind.name: family for family, kinds in FAMILIES.items() for kind in kinds}
NETWORKS = tuple(filter(None, chain.from_iterable(zip_longest(*FAMILIES.values()))))
"""One of each family in turn, so that the first three are of three families."""
