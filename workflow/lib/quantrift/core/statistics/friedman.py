"""Friedman's test (1937) of a difference between several treatments of the same blocks."""

import numpy as np
import scipy


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
