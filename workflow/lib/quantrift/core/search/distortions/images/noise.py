"""Gaussian noise of a sensor."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric
from quantrift.core.search.distortions.work_arrays import WorkArrays

PLACE = 70
BY_DEFAULT = True
SHARE = 0.25
"""Standard deviation at most, as a share of the range of values."""
PATTERNS = 2**16
"""Patterns of noise that there are."""
WORK = WorkArrays()


class Noise(Radiometric):
    """Standard deviation as a share of the range of values, and the number of the pattern."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, SHARE * setting.strength, integer=False), Gene(0, PATTERNS - 1)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Add standard normal noise of each pattern's number, times the deviation."""
        deviations = batch.genes[:, 0] * batch.span
        pattern = WORK.get("pattern", batch.images.shape[1:])
        for place, number in enumerate(batch.genes[:, 1].astype(np.int64).tolist()):
            np.random.Generator(np.random.PCG64(number)).standard_normal(dtype=np.float32, out=pattern)
            pattern *= deviations[place]
            batch.images[place] += pattern
        return batch.images


bind = Noise
