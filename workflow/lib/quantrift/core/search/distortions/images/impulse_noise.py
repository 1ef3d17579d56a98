"""Impulse noise: some values become black or white, as by dead cells of a sensor or a faulty transmission."""

import numpy as np

from quantrift.core.search.distortions.genes import PATTERN, Setting, generator, up_to
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 75
GROUPS = ("corruptions",)


def bind(setting: Setting) -> Radiometric:
    """Share of the values, at most a tenth, each black or white with equal probability, and the pattern's number."""
    return Radiometric([up_to(0.1 * setting.strength), PATTERN], apply)


def apply(batch: Batch) -> None:
    """Set the values whose number in the pattern, uniform between 0 and 1, lies below the share."""
    for image, share, number in zip(batch.images, *batch.genes.T.tolist(), strict=True):
        drawn = generator(number).random(image.shape, np.float32)
        image[drawn < share / 2] = batch.black
        image[(drawn >= share / 2) & (drawn < share)] = batch.black + batch.span
