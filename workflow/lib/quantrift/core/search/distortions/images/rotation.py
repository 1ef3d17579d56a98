"""Rotation about the middle of an image, counter-clockwise."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Affine, Geometric, turns

PLACE = 20
GROUPS = ("default",)


def bind(setting: Setting) -> Geometric:
    """Degrees, at most 45."""
    return Geometric([around(45.0 * setting.strength)], apply)


def apply(genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
    """Turn by the angle."""
    affine.multiply(on, turns(genes[:, 0].tolist()))
