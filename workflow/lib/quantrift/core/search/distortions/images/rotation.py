"""Rotation about the middle of an image, counter-clockwise."""

import numpy as np

from quantrift.core.search.distortions.affine import Affine, turns
from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Geometric

PLACE = 20
BY_DEFAULT = True
DEGREES = 45.0


class Rotation(Geometric):
    """Degrees."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([around(DEGREES * setting.strength)])

    def move(self, genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
        """Turn by the angle."""
        affine.multiply(on, turns(genes[:, 0].tolist()))


bind = Rotation
