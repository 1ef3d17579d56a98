"""Random-input parity: the largest difference of the outputs on random inputs, as converters check their files."""

from pathlib import Path

import numpy as np

from quantrift.core.base.streams import stream
from quantrift.study.league.checker import BOTH
from quantrift.study.league.outputs import both

TITLE = "random-input parity"
MEANING = "largest difference of two outputs on random inputs, over the range of the original's"
SUFFIXES = BOTH
PACKAGE = None
COUNT = 64
"""Random inputs, uniform over the range of the given ones."""


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    shares = stream("checks", "random_inputs").random((COUNT, *inputs.shape[1:]), np.float32)
    drawn = inputs.min() + shares * (inputs.max() - inputs.min())
    x, y = both(original, compressed, drawn)
    return float(np.abs(x - y).max() / max(np.ptp(x), 1e-12))
