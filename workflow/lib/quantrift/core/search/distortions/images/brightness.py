"""Brightness: all values of an image rise or fall alike."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 60
BY_DEFAULT = True
SHARE = 0.5
"""Of the range of values, at most."""


class Brightness(Radiometric):
    """Share of the range of values."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([around(SHARE * setting.strength)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Add the share."""
        images = batch.images
        images += (batch.genes[:, 0] * batch.span)[:, None, None, None]
        return images


bind = Brightness
