"""Gaussian noise of a sensor."""

import numpy as np

from quantrift.search.distortions.genes import Gene, Setting
from quantrift.search.distortions.image_distortion import Batch, Radiometric

PLACE = 70
BY_DEFAULT = True
SHARE = 0.25
"""Standard deviation at most, as a share of the range of values."""
PATTERNS = 2**16
"""Patterns of noise that there are."""


class Noise(Radiometric):
    """Standard deviation as a share of the range of values, and the number of the pattern."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, SHARE * setting.strength, integer=False), Gene(0, PATTERNS - 1)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Add standard normal noise of each pattern's number, times the deviation."""
        numbers, shape = batch.genes[:, 1].astype(np.int64).tolist(), batch.images.shape[1:]
        patterns = [np.random.Generator(np.random.PCG64(one)).standard_normal(shape, np.float32) for one in numbers]
        return batch.images + (batch.genes[:, 0] * batch.span)[:, None, None, None] * np.stack(patterns)


bind = Noise
