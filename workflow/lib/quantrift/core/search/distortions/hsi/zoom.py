"""Zoom about the patch's centre (DiverGet Table 1)."""

import numpy as np

from quantrift.core.search.distortions import centre
from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.patch_distortion import Geometric

PLACE = 110
VARIANTS = ("paper", "code")
FACTOR = (0.3, 5.0)
"""Range of the factor: below 1 zooms out, above 1 in (the authors' earlier tool)."""


class Zoom(Geometric):
    """Centre x and y, fixed, and the factor."""

    def __init__(self, setting: Setting) -> None:
        lower, upper = (1 + (bound - 1) * setting.strength for bound in FACTOR)
        super().__init__([*centre.genes(setting), Gene(lower, upper, integer=False)])

    def turn(self, genes: np.ndarray) -> np.ndarray:
        """The factor's inverse."""
        return 1 / genes[:, 2].astype(np.complex128)


bind = Zoom
