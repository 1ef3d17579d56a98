"""Example pair of the package: a small network for digits and two compressed versions."""

from dataclasses import dataclass
from pathlib import Path

ORIGINAL = "original.keras"
COMPRESSED = {"int8": "int8.tflite", "dynamic": "dynamic.tflite"}
"""File of each compressed version: all in 8 bits, and with 8-bit weights alone."""
INPUTS = "inputs.npz"
FOLDER = Path(__file__).parent / "pair"


@dataclass(frozen=True)
class Example:
    """Where its files lie."""

    original: Path
    """A LeNet-1 with a quarter of its filters, in Keras: images float32 (n, 28, 28, 1), 0 to 1, to ten logits."""
    int8: Path
    """The same in 8 bits throughout, .tflite."""
    dynamic: Path
    """The same with 8-bit weights, .tflite."""
    inputs: Path
    """``inputs``, 128 of scikit-learn's digits that it was not trained on, and ``labels``, int64."""


def paths() -> Example:
    """The files of the example; ``tools.make_example`` makes them again.

    >>> paths().int8.name
    'int8.tflite'
    """
    return Example(FOLDER / ORIGINAL, FOLDER / COMPRESSED["int8"], FOLDER / COMPRESSED["dynamic"], FOLDER / INPUTS)
