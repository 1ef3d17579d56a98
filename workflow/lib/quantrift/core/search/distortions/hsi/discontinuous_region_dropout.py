"""Discontinuous drop-out of a region (DiverGet Table 1).

Some pixels of a rectangle, in up to 20 % of the bands, become the smallest or the largest value of the original patch.
The authors' code has no such block, and the paper does not say how the pixels are chosen. Chosen: lines and columns
of the patch are switched on each for itself, and a pixel of the rectangle is hit where both are on.
"""

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting
from quantrift.core.search.distortions.patch_distortion import Radiometric

PLACE = 50
VARIANTS = ("paper",)


def bind(setting: Setting) -> Radiometric:
    """The region's genes, pixel type last, then (line, on) pairs and (column, on) pairs, as many as the patch has."""
    return dropout.of_region(setting, [[Gene(0, side - 1), ON_OFF] * side for side in setting.shape[:2]])
