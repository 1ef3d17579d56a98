"""Brightness: all values of an image rise or fall alike."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 60
GROUPS = ("default",)


def bind(setting: Setting) -> Radiometric:
    """Share of the range of values, at most half of it."""
    return Radiometric([around(0.5 * setting.strength)], apply)


def apply(batch: Batch) -> None:
    """Add the share."""
    np.add(batch.images, (batch.genes[:, 0] * batch.span)[:, None, None, None], out=batch.images)
