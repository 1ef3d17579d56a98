"""Vargha and Delaney's A12 (2000) and its magnitude (Hess and Kromrey 2004), as in DiverGet section 5.1."""

import numpy as np

MAGNITUDES = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"), (np.inf, "large"))
"""Upper ends of |2 A12 - 1|, each exclusive, and their words."""


def a12(first: np.ndarray, second: np.ndarray) -> float:
    """P(first > second) + P(first = second) / 2 over all pairs: above 0.5 where the first group is larger.

    Args:
        first: (n,) values, n >= 1.
        second: (m,) values, m >= 1.

    Returns:
        A fraction 0..1.
    """
    order = np.sign(np.subtract.outer(np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)))
    return float((order.mean() + 1) / 2)


def magnitude(value: float) -> str:
    """``negligible``, ``small``, ``medium`` or ``large`` for an A12 value."""
    # Rounded, as 2 * 0.5735 - 1 falls short of 0.147 by one rounding error.
    scaled = round(abs(2 * value - 1), 12)
    return next(word for end, word in MAGNITUDES if scaled < end)
