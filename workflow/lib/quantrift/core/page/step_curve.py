"""Curves that step up where something is reached, over the number of candidates that it took."""

import numpy as np


def steps(reached: np.ndarray, total: int, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Places, ascending, and the share that is reached by then, from ``first`` to ``last``.

    Args:
        reached: where each was reached, (k,); each at ``first`` or later.
        total: how many could be, at least k.
        first: where the curve begins.
        last: where it ends.
    """
    places, counts = np.unique(reached, return_counts=True)
    shares = np.cumsum(counts) / total
    end = shares[-1] if len(shares) else 0.0
    start = [] if len(places) and places[0] == first else [first]
    return np.array([*start, *places, last]), np.array([*[0.0] * len(start), *shares, end])
