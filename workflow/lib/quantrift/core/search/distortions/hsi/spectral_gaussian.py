"""Spectral Gaussian noise (DiverGet Table 1): up to 7 % of the bands are shifted, each by one value in all pixels."""

import numpy as np

from quantrift.core.search.distortions import gaussian_noise
from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 90


def bind(setting: Setting) -> Radiometric:
    """(band, value) pairs, the value in the data's unit; at most 7 % of the bands (the authors' earlier tool)."""
    bands = setting.shape[2]
    return gaussian_noise.at_places(setting, [Gene(0, bands - 1)], share(0.07, bands), apply)


def apply(batch: Batch) -> None:
    """Add the values; a band chosen twice gets both."""
    count, height, width, bands = batch.patches.shape
    band = batch.genes[:, 0::2].astype(np.intp)
    total = gaussian_noise.totals(band, batch.genes[:, 1::2], bands)
    pixels, rows = batch.patches.reshape(count, height * width, bands), batch.rows[:, None]
    pixels[rows, :, band] = pixels[rows, :, band] + total[:, :, None]
