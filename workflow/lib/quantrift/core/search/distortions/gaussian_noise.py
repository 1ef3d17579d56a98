"""The noise that spatial and spectral Gaussian distortions share (DiverGet Table 1)."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting

MEAN = (0.0, 0.05)
DEVIATION = (0.001, 0.05)
"""Ranges of the first draw's mean and standard deviation, in the data's unit (the authors' earlier tool)."""
VALUE = {"paper": (-1.0, 1.0), "code": (0.0, 1.0)}
"""Bounds of a noise value. Those of the authors' earlier tool, ``code``, delete negative noise."""


class Noise:
    """Values of noise: their bounds, and how they are drawn at first."""

    def __init__(self, setting: Setting) -> None:
        self._strength = setting.strength
        lower, upper = (bound * setting.strength for bound in VALUE[setting.variant])
        self.gene = Gene(lower, upper, integer=False)

    def draw(self, values: np.ndarray, rng: np.random.Generator) -> None:
        """Fill (n, count) with values of N(mu, sigma), clipped, with mu and sigma drawn uniformly for each row."""
        n = len(values)
        mean = self._strength * rng.uniform(*MEAN, size=(n, 1))
        deviation = self._strength * rng.uniform(*DEVIATION, size=(n, 1))
        noise = mean + deviation * rng.standard_normal(values.shape)
        np.clip(noise, self.gene.lower, self.gene.upper, out=noise)
        values[:] = noise


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
