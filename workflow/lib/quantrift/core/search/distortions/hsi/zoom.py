"""Zoom about the patch's centre (DiverGet Table 1)."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.patch_distortion import Geometric, centre

PLACE = 110


def bind(setting: Setting) -> Geometric:
    """Centre x and y, fixed, and the factor: below 1 zooms out, above 1 in (range of the authors' earlier tool)."""
    lower, upper = (1 + (bound - 1) * setting.strength for bound in (0.3, 5.0))
    return Geometric([*centre(setting), Gene(lower, upper, integer=False)], apply)


def apply(genes: np.ndarray) -> np.ndarray:
    """The factor's inverse."""
    return 1 / genes[:, 2].astype(np.complex128)
