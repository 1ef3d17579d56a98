"""Impulse noise: some values become black or white, as by dead cells of a sensor or a faulty transmission."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 75
BY_DEFAULT = False
GROUPS = ("corruptions",)
SHARE = 0.1
"""Of the values, at most; each is black or white with equal probability."""
PATTERNS = 2**16
"""Patterns of places that there are."""


class ImpulseNoise(Radiometric):
    """Share of the values, and the number of the pattern."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, SHARE * setting.strength, integer=False), Gene(0, PATTERNS - 1)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Set the values whose number in the pattern, uniform between 0 and 1, lies below the share."""
        for image, share, number in zip(batch.images, *batch.genes.T.tolist(), strict=True):
            drawn = np.random.Generator(np.random.PCG64(int(number))).random(image.shape, np.float32)
            image[drawn < share / 2] = batch.black
            image[(drawn >= share / 2) & (drawn < share)] = batch.black + batch.span
        return batch.images


bind = ImpulseNoise
