"""Continuous drop-out of lines or columns (DiverGet Table 1).

All pixels of up to 20 % of the lines (or columns, by the shared mode gene), in up to 20 % of the bands, become the
smallest or the largest value of the original patch.
"""

import numpy as np

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import ON_OFF, Setting
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 10
VARIANTS = ("paper", "code")


class ContinuousDropout(Radiometric):
    """(line, on) pairs, (band, on) pairs, pixel type: 0 = patch minimum, 1 = patch maximum."""

    def __init__(self, setting: Setting) -> None:
        lines, bands = dropout.lines(setting), dropout.bands(setting)
        super().__init__([*lines, *bands, ON_OFF])
        self._lines = len(lines)

    def apply(self, batch: Batch) -> None:
        """Write the patch's extreme value to the chosen lines in the chosen bands."""
        genes = batch.genes.astype(np.intp)
        pixels = dropout.along(batch, genes[:, : self._lines])
        dropout.fill(batch, pixels, genes[:, self._lines : -1], genes[:, -1] == 1)


bind = ContinuousDropout
