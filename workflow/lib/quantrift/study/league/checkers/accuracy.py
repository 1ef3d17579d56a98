"""Test accuracy: how much of it the compressed network lost."""

from pathlib import Path

import numpy as np

from quantrift.study.league.checker import BOTH
from quantrift.study.league.outputs import labels_of_both

TITLE = "test accuracy"
MEANING = "accuracy of the original less that of the compressed network"
SUFFIXES = BOTH
PACKAGE = None


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    before, after = labels_of_both(original, compressed, inputs)
    return float((before == labels).mean() - (after == labels).mean())
