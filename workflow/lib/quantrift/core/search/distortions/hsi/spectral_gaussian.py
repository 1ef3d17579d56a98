"""Spectral Gaussian noise (DiverGet Table 1): up to 7 % of the bands are shifted, each by one value in all pixels."""

import numpy as np

from quantrift.core.search.distortions import gaussian_noise
from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 90
VARIANTS = ("paper", "code")
BANDS = 0.07
"""Most bands at once (the authors' earlier tool)."""


class SpectralGaussian(Radiometric):
    """(band, value) pairs, the value in the data's unit."""

    def __init__(self, setting: Setting) -> None:
        bands = setting.shape[2]
        self._noise = gaussian_noise.Noise(setting)
        super().__init__([Gene(0, bands - 1), self._noise.gene] * share(BANDS, bands))

    def redraw(self, block: np.ndarray, rng: np.random.Generator) -> None:
        """Gaussian values."""
        self._noise.draw(block[:, 1::2], rng)

    def apply(self, batch: Batch) -> None:
        """Add the values; a band chosen twice gets both."""
        _, height, width, bands = batch.patches.shape
        band, value = batch.genes[:, 0::2].astype(np.intp), batch.genes[:, 1::2]
        total = gaussian_noise.totals(band, value, bands)
        pixels = batch.patches.reshape(len(batch.patches), height * width, bands)
        rows = batch.rows[:, None]
        pixels[rows, :, band] = pixels[rows, :, band] + total[:, :, None]


bind = SpectralGaussian
