"""Spatial Gaussian noise (DiverGet Table 1): up to 7 % of the pixels are shifted, each by one value in all bands."""

import numpy as np

from quantrift.core.search.distortions import gaussian_noise
from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 80


def bind(setting: Setting) -> Radiometric:
    """(x, y, value) triples: column, line, noise in the data's unit.

    At most 7 % of the pixels at once (the authors' earlier tool).
    """
    height, width, _ = setting.shape
    return gaussian_noise.at_places(
        setting, [Gene(0, width - 1), Gene(0, height - 1)], share(0.07, height * width), apply
    )


def apply(batch: Batch) -> None:
    """Add the values; a pixel chosen twice gets both."""
    _, height, width, _ = batch.patches.shape
    place = batch.genes[:, 1::3].astype(np.intp) * width + batch.genes[:, 0::3].astype(np.intp)
    total = gaussian_noise.totals(place, batch.genes[:, 2::3], height * width)
    pixels, pixel = batch.pixels, batch.rows[:, None] * (height * width) + place
    pixels[pixel] = pixels[pixel] + total[:, :, None]
