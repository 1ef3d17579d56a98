"""Spatial Gaussian noise (DiverGet Table 1): up to 7 % of the pixels are shifted, each by one value in all bands."""

import numpy as np

from quantrift.core.search.distortions import gaussian_noise
from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 80
VARIANTS = ("paper", "code")
PIXELS = 0.07
"""Most pixels at once (the authors' earlier tool)."""


class SpatialGaussian(Radiometric):
    """(x, y, value) triples: column, line, noise in the data's unit."""

    def __init__(self, setting: Setting) -> None:
        height, width, _ = setting.shape
        self._noise = gaussian_noise.Noise(setting)
        triple = [Gene(0, width - 1), Gene(0, height - 1), self._noise.gene]
        super().__init__(triple * share(PIXELS, height * width))

    def redraw(self, block: np.ndarray, rng: np.random.Generator) -> None:
        """Gaussian values."""
        self._noise.draw(block[:, 2::3], rng)

    def apply(self, batch: Batch) -> None:
        """Add the values; a pixel chosen twice gets both."""
        _, height, width, _ = batch.patches.shape
        x, y, value = batch.genes[:, 0::3].astype(np.intp), batch.genes[:, 1::3].astype(np.intp), batch.genes[:, 2::3]
        place = y * width + x
        total = gaussian_noise.totals(place, value, height * width)
        pixel = batch.rows[:, None] * (height * width) + place
        pixels = batch.pixels
        pixels[pixel] = pixels[pixel] + total[:, :, None]


bind = SpatialGaussian
