"""Quantrift's DiverGet, PSO over natural changes: seed inputs from which it reaches a disagreement."""

from math import nan
from pathlib import Path

import numpy as np

from quantrift.study.league.changed_inputs import SEEDS, searched
from quantrift.study.league.checker import BOTH

TITLE = "Quantrift, DiverGet (PSO)"
MEANING = "share of the seed inputs from which natural changes reach another label, plus that of all valid changes"
SUFFIXES = BOTH
PACKAGE = None


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    found = searched(original, compressed, inputs, labels, "image_pso", SEEDS, 5)
    # The second share tells pairs apart of which every search succeeds, or none.
    return nan if found.sr.value is None or found.dir_valid.value is None else found.sr.value + found.dir_valid.value
