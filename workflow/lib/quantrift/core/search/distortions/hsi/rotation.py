"""Rotation about the patch's centre (DiverGet Table 1), counter-clockwise."""

from math import cos, radians, sin

import numpy as np

from quantrift.core.search.distortions import centre
from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.patch_distortion import Geometric

PLACE = 100
VARIANTS = ("paper", "code")
FULL = 360.0
"""Degrees (the authors' earlier tool)."""


class Rotation(Geometric):
    """Centre x and y, fixed, and the angle in degrees."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([*centre.genes(setting), Gene(0, FULL * setting.strength, integer=False)])

    def turn(self, genes: np.ndarray) -> np.ndarray:
        """The angle as a complex number."""
        # One by one, as numpy's cosine may differ in the last bit with the place in an array.
        angles = [radians(angle) for angle in genes[:, 2].tolist()]
        return np.array([complex(cos(angle), sin(angle)) for angle in angles])


bind = Rotation
