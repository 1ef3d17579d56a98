"""Brightness: all values of an image rise or fall alike."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 60
GROUPS = ("default",)
SHARE = 0.5
"""Of the range of values, at most."""


def bind(setting: Setting) -> Radiometric:
    """Share of the range of values."""
    return Radiometric([around(SHARE * setting.strength)], apply)


def apply(batch: Batch) -> None:
    """Add the share."""
    np.add(batch.images, (batch.genes[:, 0] * batch.span)[:, None, None, None], out=batch.images)
