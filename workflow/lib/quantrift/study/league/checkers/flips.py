"""Flips (Dutta et al. 2024, "Accuracy is not all you need"): answers that turn from right to wrong or from wrong to
right.
"""

from pathlib import Path

import numpy as np

from quantrift.study.league.checker import BOTH
from quantrift.study.league.outputs import labels_of_both

TITLE = "flips"
MEANING = "share of the inputs that turn from right to wrong or from wrong to right"
SUFFIXES = BOTH
PACKAGE = None


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    before, after = labels_of_both(original, compressed, inputs)
    return float(((before == labels) != (after == labels)).mean())
