"""The noise that spatial and spectral Gaussian distortions share (DiverGet Table 1)."""

import numpy as np

from quantrift.search.distortions.base import Gene

MEAN = (0.0, 0.05)
DEVIATION = (0.001, 0.05)
"""Ranges of the first draw's mean and standard deviation, in the data's unit (the authors' earlier tool)."""

VALUE = Gene(-1, 1, integer=False)
"""Bounds of a noise value. [0, 1], as in the authors' earlier tool, would delete negative noise at the first move."""


def sample(n: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """float32 (n, count) values of N(mu, sigma), with mu and sigma drawn uniformly for each row."""
    mean = rng.uniform(*MEAN, size=(n, 1))
    deviation = rng.uniform(*DEVIATION, size=(n, 1))
    values = mean + deviation * rng.standard_normal((n, count))
    return np.clip(values, VALUE.lower, VALUE.upper).astype(np.float32)


def totals(places: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sums of the values that fall on the same place of the same row: a place chosen twice gets both.

    Args:
        places: int (k, count), each in [0, size).
        values: float32 (k, count).
        size: number of places.

    Returns:
        float32 (k, count): at each gene, the total of its place.
    """
    flat = (np.arange(len(places))[:, None] * size + places).ravel()
    sums = np.bincount(flat, weights=values.ravel(), minlength=len(places) * size)
    return sums[flat].astype(np.float32).reshape(values.shape)
