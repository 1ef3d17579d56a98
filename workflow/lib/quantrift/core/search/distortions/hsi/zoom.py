"""Zoom about the patch's centre (DiverGet Table 1)."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.patch_distortion import Geometric, centre

PLACE = 110
FACTOR = (0.3, 5.0)
"""Range of the factor: below 1 zooms out, above 1 in (the authors' earlier tool)."""


def bind(setting: Setting) -> Geometric:
    """Centre x and y, fixed, and the factor."""
    lower, upper = (1 + (bound - 1) * setting.strength for bound in FACTOR)
    return Geometric([*centre(setting), Gene(lower, upper, integer=False)], apply)


def apply(genes: np.ndarray) -> np.ndarray:
    """The factor's inverse."""
    return 1 / genes[:, 2].astype(np.complex128)
