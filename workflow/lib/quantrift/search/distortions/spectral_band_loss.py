"""Spectral band loss (DiverGet Table 1): lost bands become the mean of the bands before and after them.

Up to half of the bands are lost at once; the neighbours' values are those from before the loss, also where a
neighbour is lost too.
"""

import numpy as np

from quantrift.search.distortions.base import ON_OFF, Batch, Gene, Shape, pairs, share, uniform

BANDS = 0.5


def genes(shape: Shape) -> list[Gene]:
    """(band, on) pairs, the band neither first nor last; none with fewer than three bands."""
    bands = shape[2]
    return pairs(Gene(1, bands - 2), ON_OFF, share(BANDS, bands)) if bands >= 3 else []


def sample(n: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Uniform."""
    return uniform(n, genes(shape), rng)


def apply(batch: Batch) -> None:
    """Replace the lost bands; all are read before any is written."""
    _, height, width, bands = batch.patches.shape
    block = batch.genes.astype(np.intp)
    lost = np.zeros((len(block), bands), bool)
    k, i = np.nonzero(block[:, 1::2] == 1)
    lost[k, block[k, 2 * i]] = True
    k, band = np.nonzero(lost)
    pixels = batch.patches.reshape(len(batch.patches), height * width, bands)
    rows = batch.rows[k]
    pixels[rows, :, band] = np.float32(0.5) * (pixels[rows, :, band - 1] + pixels[rows, :, band + 1])
