"""Discontinuous drop-out of lines or columns (DiverGet Table 1).

As the continuous one, but only some of the places along the lines are hit, the same ones in each line.
"""

import numpy as np

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting, pairs, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 20
VARIANTS = ("paper", "code")


class DiscontinuousDropout(Radiometric):
    """(line, on) pairs, (band, on) pairs, (position, on) pairs, pixel type: 0 = patch minimum, 1 = patch maximum."""

    def __init__(self, setting: Setting) -> None:
        longest = max(setting.shape[:2])
        lines, bands = dropout.lines(setting), dropout.bands(setting)
        positions = pairs(Gene(0, longest - 1), ON_OFF, share(setting.strength, longest))
        super().__init__([*lines, *bands, *positions, ON_OFF])
        self._lines = slice(len(lines))
        self._bands = slice(len(lines), len(lines) + len(bands))
        self._positions = slice(len(lines) + len(bands), -1)

    def apply(self, batch: Batch) -> None:
        """Write the patch's extreme value to the chosen places of the chosen lines in the chosen bands."""
        genes = batch.genes.astype(np.intp)
        pixels = dropout.along(batch, genes[:, self._lines], genes[:, self._positions])
        dropout.fill(batch, pixels, genes[:, self._bands], genes[:, -1] == 1)


bind = DiscontinuousDropout
