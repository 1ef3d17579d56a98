"""Discontinuous drop-out of a region (DiverGet Table 1).

Some pixels of a rectangle, in up to 20 % of the bands, become the smallest or the largest value of the original patch.
The authors' code has no such block, and the paper does not say how the pixels are chosen. Chosen: lines and columns
of the patch are switched on each for itself, and a pixel of the rectangle is hit where both are on.
"""

import numpy as np

from quantrift.core.search.distortions import choices, dropout, region
from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting, pairs
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 50
VARIANTS = ("paper",)


class DiscontinuousRegionDropout(Radiometric):
    """The region's genes, pixel type last, then (line, on) pairs and (column, on) pairs, as many as the patch has."""

    def __init__(self, setting: Setting) -> None:
        height, width, _ = setting.shape
        rectangle = [*region.genes(setting), ON_OFF]
        lines, columns = (pairs(Gene(0, side - 1), ON_OFF, side) for side in (height, width))
        super().__init__([*rectangle, *lines, *columns])
        self._region = len(rectangle)
        self._columns = len(rectangle) + len(lines)

    def apply(self, batch: Batch) -> None:
        """Write the patch's extreme value to the chosen pixels of the rectangle in the chosen bands."""
        _, height, width, _ = batch.patches.shape
        genes = batch.genes.astype(np.intp)
        rectangle = genes[:, : self._region]
        down, right = region.sides(batch, rectangle[:, -5:-1])
        down &= choices.mask(genes[:, self._region : self._columns], height)
        right &= choices.mask(genes[:, self._columns :], width)
        dropout.fill(batch, down[:, :, None] & right[:, None, :], rectangle[:, :-5], rectangle[:, -1] == 1)


bind = DiscontinuousRegionDropout
