"""Trainable form of compressed networks, as their method trains them."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quantrift.core.base.archive import read_arrays
from quantrift.core.base.errors import reading
from quantrift.core.base.paths import TRAINABLE

if TYPE_CHECKING:
    import keras


@dataclass(frozen=True)
class Trainable:
    """A network that a method of compression trains, and the way from it to a file."""

    network: "keras.Model"
    """From inputs to logits; keeps to the method while it is trained: pruned weights stay zero, grids stay in force."""
    content: Callable[[], bytes]
    """Content of the .tflite file of the network with the weights that it then has."""
    pupil: "keras.Model | None" = None
    """Model by which the method trains the network, where that is another."""
    told: Callable[[], tuple[int | None, dict[str, Any]]] = lambda: (None, {})
    """``weight_bits`` and facts of the network with the weights that it then has (``Compressed``)."""


def stored(network: "keras.Model") -> dict[str, bytes]:
    """The file that ``restore`` reads: all weights of ``network``, by their numbers."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{str(number): value for number, value in enumerate(network.get_weights())})
    return {TRAINABLE: buffer.getvalue()}


def restore(network: "keras.Model", path: Path) -> None:
    """Give ``network`` the weights that ``stored`` took from one of the same form.

    Raises:
        QuantriftError: if they are those of another network.
    """
    found = read_arrays(path)
    with reading(path, "not the weights of this network", "compress it again"):
        network.set_weights([found[str(number)] for number in range(len(found))])
