"""Rotation about the patch's centre (DiverGet Table 1), counter-clockwise."""

from math import cos, radians, sin

import numpy as np

from quantrift.core.search.distortions.genes import Setting, up_to
from quantrift.core.search.distortions.patch_distortion import Geometric, centre

PLACE = 100


def bind(setting: Setting) -> Geometric:
    """Centre x and y, fixed, and the angle in degrees, at most 360 (the authors' earlier tool)."""
    return Geometric([*centre(setting), up_to(360.0 * setting.strength)], apply)


def apply(genes: np.ndarray) -> np.ndarray:
    """The angle as a complex number."""
    # One by one, as numpy's cosine may differ in the last bit with the place in an array.
    return np.array([complex(cos(angle), sin(angle)) for angle in map(radians, genes[:, 2].tolist())])
