"""Drop-out of a region (DiverGet Table 1).

All pixels of a rectangle, in up to 20 % of the bands, become the smallest or the largest value of the original patch.
"""

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.distortions.patch_distortion import Radiometric

PLACE = 40


def bind(setting: Setting) -> Radiometric:
    """(band, on) pairs, x, y, width, length, pixel type: 0 = patch minimum, 1 = patch maximum."""
    return dropout.of_region(setting)
