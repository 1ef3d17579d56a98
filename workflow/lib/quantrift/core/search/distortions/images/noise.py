"""Gaussian noise of a sensor."""

import numpy as np

from quantrift.core.search.distortions.genes import PATTERN, Setting, generator, up_to
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric, WorkArrays

PLACE = 70
GROUPS = ("default",)
WORK = WorkArrays()


def bind(setting: Setting) -> Radiometric:
    """Standard deviation as a share of the range of values, at most a quarter, and the number of the pattern."""
    return Radiometric([up_to(0.25 * setting.strength), PATTERN], apply)


def apply(batch: Batch) -> None:
    """Add standard normal noise of each pattern's number, times the deviation."""
    deviations = batch.genes[:, 0] * batch.span
    pattern = WORK.get("pattern", batch.images.shape[1:])
    for place, number in enumerate(batch.genes[:, 1].astype(np.int64).tolist()):
        generator(number).standard_normal(dtype=np.float32, out=pattern)
        pattern *= deviations[place]
        batch.images[place] += pattern
