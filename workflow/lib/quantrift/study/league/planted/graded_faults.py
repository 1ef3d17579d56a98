"""Faults of graded strength: edits of a quantized file, and conversions of a wrong network or on wrong samples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import keras
import numpy as np
from keras import layers

from quantrift.study.league.planted.faults import behind
from quantrift.study.league.planted.stored_weights import Edited
from quantrift.study.league.planted.trained_networks import Trained


@dataclass(frozen=True)
class Edit:
    """A fault that is made in a good file, so that its layer is known."""

    unit: str
    """Unit of its strength."""
    strengths: Sequence[float]
    """Ascending."""
    plant: Callable[[Edited, float, np.random.Generator, float], None]
    """Changes the file, by strength; draws layer, channels or class from the stream, whose draws do not depend on the
    strength. The last number is the standard deviation of the original's logits."""


@dataclass(frozen=True)
class Conversion:
    """A fault of what is converted; it lies in no single layer."""

    unit: str
    strengths: Sequence[float]
    convert: Callable[[Trained, float], tuple[keras.Model, np.ndarray]]
    """From network and strength to the network and the samples that are handed to the converter."""


def _layer(file: Edited, rng: np.random.Generator) -> int:
    """Any layer with weights but the last, whose channels are classes."""
    return int(rng.integers(len(file.outputs) - 1))


def _scale(file: Edited, strength: float, rng: np.random.Generator, spread: float) -> None:
    file.scale(_layer(file, rng), 1 + strength)


def _zero_point(file: Edited, strength: float, rng: np.random.Generator, spread: float) -> None:
    file.shift_zero_point(_layer(file, rng), int(strength))


def _bits(file: Edited, strength: float, rng: np.random.Generator, spread: float) -> None:
    file.round(_layer(file, rng), int(strength))


def _channels(file: Edited, strength: float, rng: np.random.Generator, spread: float) -> None:
    layer = _layer(file, rng)
    order = rng.permutation(file.outputs[layer])
    file.silence(layer, order[: max(1, round(strength * len(order)))])


def _class(file: Edited, strength: float, rng: np.random.Generator, spread: float) -> None:
    file.lower(int(rng.integers(file.outputs[-1])), strength * spread)


def _darker(net: Trained, strength: float) -> tuple[keras.Model, np.ndarray]:
    black = np.float32(net.kind.black)
    return net.model, black + np.float32(1 - strength) * (net.samples - black)


def _border(net: Trained, strength: float) -> tuple[keras.Model, np.ndarray]:
    width = int(strength)

    def cut(x: keras.KerasTensor) -> keras.KerasTensor:
        # Whatever stands for black is 0 only after it was taken off.
        x = layers.Rescaling(1.0, -net.kind.black, name="from_black")(x)
        x = layers.ZeroPadding2D(width, name="padded")(layers.Cropping2D(width, name="cropped")(x))
        return layers.Rescaling(1.0, net.kind.black, name="to_black")(x)

    return behind(net.model, cut), net.samples


EDITS: Mapping[str, Edit] = {
    "scale": Edit("of the weights of a layer too much", (0.01, 0.05, 0.2, 0.8), _scale),
    "zero point": Edit("steps too much at the input of a layer", (1, 2, 6, 20), _zero_point),
    "lost bits": Edit("bits of the weights of a layer lost", (1, 2, 3, 4, 5), _bits),
    "dead channels": Edit("of the channels of a layer set to 0, at least one", (0.05, 0.2, 0.5), _channels),
    "class bias": Edit("standard deviations taken off the logit of a class", (0.05, 0.3, 0.8, 2), _class),
}
CONVERSIONS: Mapping[str, Conversion] = {
    "darker samples": Conversion(
        "of their brightness taken off the samples of the ranges", (0.05, 0.2, 0.45, 0.7), _darker
    ),
    "black border": Conversion("pixels at each side of the image set to black", (1, 3, 6), _border),
}
FAULTS: Mapping[str, Edit | Conversion] = {**EDITS, **CONVERSIONS}
UNITS = {name: fault.unit for name, fault in FAULTS.items()}
STRENGTHS = {name: tuple(fault.strengths) for name, fault in FAULTS.items()}
