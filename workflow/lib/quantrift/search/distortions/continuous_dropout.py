"""Continuous drop-out of lines or columns (DiverGet Table 1).

All pixels of up to 20 % of the lines (or columns, by the shared mode gene), in up to 20 % of the bands, become the
smallest or the largest value of the original patch.
"""

import numpy as np

from quantrift.search.distortions.base import ON_OFF, Batch, Gene, Shape, pairs, share, uniform

LINES = 0.2
BANDS = 0.2


def _counts(shape: Shape) -> tuple[int, int]:
    return share(LINES, shape[0]), share(BANDS, shape[2])


def genes(shape: Shape) -> list[Gene]:
    """(line, on) pairs, (band, on) pairs, pixel type: 0 = patch minimum, 1 = patch maximum."""
    height, width, bands = shape
    n_lines, n_bands = _counts(shape)
    line = Gene(0, min(height, width) - 1)
    return [*pairs(line, ON_OFF, n_lines), *pairs(Gene(0, bands - 1), ON_OFF, n_bands), ON_OFF]


def sample(n: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Uniform."""
    return uniform(n, genes(shape), rng)


def apply(batch: Batch) -> None:
    """Write the patch's extreme value to the chosen lines in the chosen bands."""
    _, height, width, bands = batch.patches.shape
    n_lines, n_bands = _counts((height, width, bands))
    block = batch.genes.astype(np.intp)
    line, line_on = block[:, 0 : 2 * n_lines : 2], block[:, 1 : 2 * n_lines : 2]
    band_genes = block[:, 2 * n_lines : 2 * (n_lines + n_bands)]
    band, band_on = band_genes[:, 0::2], band_genes[:, 1::2]
    k, i, j = np.nonzero((line_on[:, :, None] & band_on[:, None, :]) == 1)
    lines = batch.lines[k]
    value = np.where(block[:, -1] == 1, batch.maximum, batch.minimum)[k]
    flat = batch.patches.reshape(-1)
    for chosen, length, step, across in (
        (lines, width, bands, width * bands),
        (~lines, height, width * bands, bands),
    ):
        at = k[chosen], i[chosen], j[chosen]
        start = batch.rows[at[0]] * (height * width * bands) + line[at[0], at[1]] * across + band[at[0], at[2]]
        flat[start[:, None] + step * np.arange(length)] = value[chosen, None]
