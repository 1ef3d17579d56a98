"""Contrast: distances from the mean of the seed input become larger or smaller."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around, powers_of_two
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 50
GROUPS = ("default",)


def bind(setting: Setting) -> Radiometric:
    """Doublings of the distances, at most one: from half to twice."""
    return Radiometric([around(setting.strength)], apply)


def apply(batch: Batch) -> None:
    """Scale the distances."""
    factors = powers_of_two(batch.genes[:, 0]).astype(np.float32)[:, None, None, None]
    mean = batch.originals.mean[batch.source].astype(np.float32)[:, None, None, None]
    images = batch.images
    images -= mean
    images *= factors
    images += mean
