"""Spatial and spectral Gaussian noise (DiverGet Table 1): values at places that genes choose."""

from collections.abc import Callable

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

VALUE = {"paper": (-1.0, 1.0), "code": (0.0, 1.0)}
"""Bounds of a noise value. Those of the authors' earlier tool, ``code``, delete negative noise."""


def at_places(setting: Setting, where: list[Gene], count: int, apply: Callable[[Batch], None]) -> Radiometric:
    """Genes that say ``where`` and the value added there, ``count`` times in turn.

    At first, values are of N(mu, sigma), clipped to their bounds, with mu and sigma drawn uniformly for each row from
    ranges in the data's unit (the authors' earlier tool).
    """
    lower, upper = (bound * setting.strength for bound in VALUE[setting.variant])

    def redraw(block: np.ndarray, rng: np.random.Generator) -> None:
        values = block[:, len(where) :: len(where) + 1]
        ranges = (0.0, 0.05), (0.001, 0.05)
        mean, deviation = (setting.strength * rng.uniform(*ends, size=(len(block), 1)) for ends in ranges)
        values[:] = np.clip(mean + deviation * rng.standard_normal(values.shape), lower, upper)

    return Radiometric([*where, Gene(lower, upper, integer=False)] * count, apply, redraw)


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
