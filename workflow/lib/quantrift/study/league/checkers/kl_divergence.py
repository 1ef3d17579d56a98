"""Kullback-Leibler divergence of the compressed network's probabilities from the original's, mean over inputs."""

from pathlib import Path

import numpy as np

from quantrift.study.league.checker import BOTH
from quantrift.study.league.outputs import both, probabilities

TITLE = "KL divergence"
MEANING = "mean of sum p log(p / q), p of the original and q of the compressed network, in nats"
SUFFIXES = BOTH
PACKAGE = None
LEAST = 1e-12
"""Probability below which the logarithm is not followed."""


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    p, q = (np.maximum(probabilities(values), LEAST) for values in both(original, compressed, inputs))
    return float((p * np.log(p / q)).sum(axis=1).mean())
