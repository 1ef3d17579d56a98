"""Quantrift's random sampling of natural changes: disagreement on the valid ones."""

from math import nan
from pathlib import Path

import numpy as np

from quantrift.study.league.changed_inputs import SEEDS, searched
from quantrift.study.league.checker import BOTH

TITLE = "Quantrift, random natural changes"
MEANING = "share of the valid natural changes, drawn at random, that get another label"
SUFFIXES = BOTH
PACKAGE = None


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    share = searched(original, compressed, inputs, labels, "image_random", 2 * SEEDS, 4).dir_valid.value
    return nan if share is None else share
