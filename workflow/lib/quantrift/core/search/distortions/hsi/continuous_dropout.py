"""Continuous drop-out of lines or columns (DiverGet Table 1).

All pixels of up to 20 % of the lines (or columns, by the shared mode gene), in up to 20 % of the bands, become the
smallest or the largest value of the original patch.
"""

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.distortions.patch_distortion import Radiometric

PLACE = 10


def bind(setting: Setting) -> Radiometric:
    """(line, on) pairs, (band, on) pairs, pixel type: 0 = patch minimum, 1 = patch maximum."""
    return dropout.of_lines(setting)
