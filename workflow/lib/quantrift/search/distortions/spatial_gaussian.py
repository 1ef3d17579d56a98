"""Spatial Gaussian noise (DiverGet Table 1): up to 7 % of the pixels are shifted, each by one value in all bands."""

import numpy as np

from quantrift.search.distortions import gaussian_noise
from quantrift.search.distortions.base import Batch, Gene, Shape, share, uniform

PIXELS = 0.07


def genes(shape: Shape) -> list[Gene]:
    """(x, y, value) triples: column, row, noise in the data's unit."""
    height, width, _ = shape
    return [Gene(0, width - 1), Gene(0, height - 1), gaussian_noise.VALUE] * share(PIXELS, height * width)


def sample(n: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Uniform places, Gaussian values."""
    block = uniform(n, genes(shape), rng)
    block[:, 2::3] = gaussian_noise.sample(n, block.shape[1] // 3, rng)
    return block


def apply(batch: Batch) -> None:
    """Add the values; a pixel chosen twice gets both."""
    _, height, width, bands = batch.patches.shape
    x, y, value = batch.genes[:, 0::3].astype(np.intp), batch.genes[:, 1::3].astype(np.intp), batch.genes[:, 2::3]
    place = y * width + x
    total = gaussian_noise.totals(place, value, height * width)
    pixel = batch.rows[:, None] * (height * width) + place
    pixels = batch.patches.reshape(-1, bands)
    pixels[pixel] = pixels[pixel] + total[:, :, None]
