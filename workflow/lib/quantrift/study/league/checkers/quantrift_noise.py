"""Quantrift's TriggerFinder: how soon noise and blurs reach a disagreement."""

from math import nan
from pathlib import Path

import numpy as np

from quantrift.study.league.changed_inputs import searched
from quantrift.study.league.checker import BOTH

TITLE = "Quantrift, TriggerFinder"
MEANING = "share of the seed inputs from which at most 60 steps of noise reach another label"
SUFFIXES = BOTH
PACKAGE = "cv2"
SEEDS = 40
STEPS = 6
"""Tens of steps."""


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    share = searched(original, compressed, inputs, labels, "triggerfinder_code", SEEDS, STEPS).sr.value
    return nan if share is None else share
