"""Salt-and-pepper noise (DiverGet Table 1): up to 7 % of the pixels turn bright or dead, in all bands."""

import numpy as np

from quantrift.search.distortions.base import Batch, Gene, Shape, share, uniform

PIXELS = 0.07
PEPPER, SALT, NONE = 0, 1, 2


def genes(shape: Shape) -> list[Gene]:
    """(x, y, type) triples: column, row, and 0 = pepper (patch minimum), 1 = salt (patch maximum), 2 = none."""
    height, width, _ = shape
    return [Gene(0, width - 1), Gene(0, height - 1), Gene(PEPPER, NONE)] * share(PIXELS, height * width)


def sample(n: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Uniform."""
    return uniform(n, genes(shape), rng)


def apply(batch: Batch) -> None:
    """Write the patch's extremes to the chosen pixels; where salt and pepper meet, the later gene stays."""
    _, height, width, bands = batch.patches.shape
    block = batch.genes.astype(np.intp).reshape(len(batch.genes), -1, 3)
    k, i = np.nonzero(block[:, :, 2] != NONE)
    x, y, kind = block[k, i].T
    pixel = (batch.rows[k] * height + y) * width + x
    # Later genes win by construction: of equal pixels only the last is written, whatever order numpy writes in.
    _, last = np.unique(pixel[::-1], return_index=True)
    keep = len(pixel) - 1 - last
    value = np.where(kind == SALT, batch.maximum[k], batch.minimum[k])
    batch.patches.reshape(-1, bands)[pixel[keep]] = value[keep, None]
