"""Discontinuous drop-out of lines or columns (DiverGet Table 1).

As the continuous one, but only some of the places along the lines are hit, the same ones in each line.
"""

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Radiometric

PLACE = 20


def bind(setting: Setting) -> Radiometric:
    """(line, on) pairs, (band, on) pairs, (position, on) pairs, pixel type: 0 = patch minimum, 1 = patch maximum."""
    longest = max(setting.shape[:2])
    return dropout.of_lines(setting, [Gene(0, longest - 1), ON_OFF] * share(setting.strength, longest))
