"""Zoom about the middle of an image."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around, powers_of_two
from quantrift.core.search.distortions.image_distortion import Affine, Geometric

PLACE = 30
GROUPS = ("default",)


def bind(setting: Setting) -> Geometric:
    """Doublings of lengths, at most a half: from 0.71 to 1.41 times."""
    return Geometric([around(0.5 * setting.strength)], apply)


def apply(genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
    """Divide by the factor."""
    affine.matrix[on] /= powers_of_two(genes[:, 0])[:, None, None]
