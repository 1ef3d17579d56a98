"""Spectral Gaussian noise (DiverGet Table 1): up to 7 % of the bands are shifted, each by one value in all pixels."""

import numpy as np

from quantrift.search.distortions import gaussian_noise
from quantrift.search.distortions.base import Batch, Gene, Shape, share, uniform

BANDS = 0.07


def genes(shape: Shape) -> list[Gene]:
    """(band, value) pairs, the value in the data's unit."""
    bands = shape[2]
    return [Gene(0, bands - 1), gaussian_noise.VALUE] * share(BANDS, bands)


def sample(n: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Uniform bands, Gaussian values."""
    block = uniform(n, genes(shape), rng)
    block[:, 1::2] = gaussian_noise.sample(n, block.shape[1] // 2, rng)
    return block


def apply(batch: Batch) -> None:
    """Add the values; a band chosen twice gets both."""
    _, height, width, bands = batch.patches.shape
    band, value = batch.genes[:, 0::2].astype(np.intp), batch.genes[:, 1::2]
    total = gaussian_noise.totals(band, value, bands)
    pixels = batch.patches.reshape(len(batch.patches), height * width, bands)
    rows = batch.rows[:, None]
    pixels[rows, :, band] = pixels[rows, :, band] + total[:, :, None]
