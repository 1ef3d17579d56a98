"""An original network and its compressed model, ready to run."""

from dataclasses import dataclass
from pathlib import Path

from quantrift.config.errors import QuantriftError
from quantrift.models.runtimes.litert import LiteRT
from quantrift.models.runtimes.protocol import Runtime


@dataclass(frozen=True)
class Pair:
    """Two networks for the same inputs and classes."""

    original: Runtime
    compressed: Runtime


def load_pair(original: Path, compressed: Path) -> Pair:
    """Load both models on LiteRT.

    Raises:
        QuantriftError: if a file cannot be read or the two models do not fit each other.
    """
    first, second = LiteRT(original), LiteRT(compressed)
    if (first.input_shape, first.classes) != (second.input_shape, second.classes):
        raise QuantriftError(
            f"{compressed}: made for inputs {second.input_shape} and {second.classes} classes, but {original} has "
            f"{first.input_shape} and {first.classes}; give two models for the same data"
        )
    return Pair(first, second)
