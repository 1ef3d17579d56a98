"""Rotation about the middle of an image, counter-clockwise."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Affine, Geometric, turns

PLACE = 20
GROUPS = ("default",)
DEGREES = 45.0


def bind(setting: Setting) -> Geometric:
    """Degrees."""
    return Geometric([around(DEGREES * setting.strength)], apply)


def apply(genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
    """Turn by the angle."""
    affine.multiply(on, turns(genes[:, 0].tolist()))
