"""Recipes of compressed files, made of a trained network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import keras

from quantrift.study.league.planted.trained_networks import Trained

LENET, SEPARABLE, RESIDUAL = "lenet5", "separable", "residual"
"""Names of the networks."""
ALL = (LENET, SEPARABLE, RESIDUAL)


@dataclass(frozen=True)
class Recipe:
    """A kind of compressed file, broken or good."""

    name: str
    made: str
    """Description, for people."""
    make: Callable[[Trained], bytes]
    """Makes the content of the file."""
    networks: Sequence[str] = ALL
    """Names of the networks that it applies to."""
    suffix: str = ".tflite"
    """Suffix of the file, and of the original beside it if it is .onnx."""
    source: Callable[[Trained], keras.Model] | None = None
    """The original, where it is not the network itself."""
