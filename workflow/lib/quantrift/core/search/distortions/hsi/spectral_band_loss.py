"""Spectral band loss (DiverGet Table 1): lost bands become the mean of the bands before and after them.

Up to half of the bands are lost at once; the neighbours' values are those from before the loss, also where a
neighbour is lost too.
"""

import numpy as np

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 60


def bind(setting: Setting) -> Radiometric:
    """(band, on) pairs, the band neither first nor last; no block with fewer than three bands.

    At most half of the bands at once (the authors' earlier tool).
    """
    bands = setting.shape[2]
    own = [Gene(1, bands - 2), ON_OFF] * share(0.5 * setting.strength, bands)
    return Radiometric(own if bands >= 3 else [], apply)


def apply(batch: Batch) -> None:
    """Replace the lost bands; all are read before any is written."""
    count, height, width, bands = batch.patches.shape
    k, band = np.nonzero(dropout.mask(batch.genes.astype(np.intp), bands))
    pixels, rows = batch.patches.reshape(count, height * width, bands), batch.rows[k]
    pixels[rows, :, band] = np.float32(0.5) * (pixels[rows, :, band - 1] + pixels[rows, :, band + 1])
