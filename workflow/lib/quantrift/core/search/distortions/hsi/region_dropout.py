"""Drop-out of a region (DiverGet Table 1).

All pixels of a rectangle, in up to 20 % of the bands, become the smallest or the largest value of the original patch.
"""

import numpy as np

from quantrift.core.search.distortions import dropout, region
from quantrift.core.search.distortions.genes import ON_OFF, Setting
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 40
VARIANTS = ("paper", "code")


class RegionDropout(Radiometric):
    """(band, on) pairs, x, y, width, length, pixel type: 0 = patch minimum, 1 = patch maximum."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([*region.genes(setting), ON_OFF])

    def apply(self, batch: Batch) -> None:
        """Write the patch's extreme value to the rectangle in the chosen bands."""
        genes = batch.genes.astype(np.intp)
        down, right = region.sides(batch, genes[:, -5:-1])
        dropout.fill(batch, down[:, :, None] & right[:, None, :], genes[:, :-5], genes[:, -1] == 1)


bind = RegionDropout
