"""Top-1 agreement on clean data: share of the inputs that get another label."""

from pathlib import Path

import numpy as np

from quantrift.study.league.checker import BOTH
from quantrift.study.league.outputs import labels_of_both

TITLE = "top-1 agreement"
MEANING = "share of the inputs that get another label"
SUFFIXES = BOTH
PACKAGE = None


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    before, after = labels_of_both(original, compressed, inputs)
    return float((before != after).mean())
