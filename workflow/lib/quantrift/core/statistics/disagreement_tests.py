"""McNemar's exact test (1947): the successes of two tools on the same inputs."""

from dataclasses import dataclass

import numpy as np
import scipy


@dataclass(frozen=True)
class Discordance:
    """Inputs on which exactly one of two tools succeeds."""

    first: int
    """Number of inputs on which the first alone succeeds."""
    second: int
    """Number of inputs on which the second alone succeeds."""
    p: float
    """Two-sided binomial p of that division; 1 where there is no such input."""


def mcnemar(first: np.ndarray, second: np.ndarray) -> Discordance:
    """Compare two series of successes.

    Args:
        first: bool (n,), one for each input.
        second: bool (n,), of the same inputs.
    """
    alone, other = int((first & ~second).sum()), int((second & ~first).sum())
    p = float(scipy.stats.binomtest(alone, alone + other).pvalue) if alone + other else 1.0
    return Discordance(alone, other, p)


def friedman(values: np.ndarray) -> tuple[float, float] | None:
    """Statistic (chi-squared, corrected for ties) and p; (0, 1) where treatments are equal in every block.

    Args:
        values: (blocks, treatments) float64 without NaN.

    Returns:
        None below 3 treatments or 2 blocks, for which the test is not defined.
    """
    blocks, treatments = values.shape
    if treatments < 3 or blocks < 2:
        return None
    if (values == values[:, :1]).all():
        return 0.0, 1.0
    found = scipy.stats.friedmanchisquare(*values.T)
    return float(found.statistic), float(found.pvalue)
