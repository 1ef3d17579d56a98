"""Shift of an image, as by a camera that points elsewhere."""

import numpy as np

from quantrift.core.search.distortions.affine import Affine
from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Geometric

PLACE = 10
BY_DEFAULT = True
SHARE = 0.2
"""Of the longer side, at most."""


class Shift(Geometric):
    """Pixels down and right."""

    def __init__(self, setting: Setting) -> None:
        reach = SHARE * max(setting.shape[:2]) * setting.strength
        super().__init__([around(reach), around(reach)])

    def move(self, genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
        """Add the pixels."""
        affine.shift[on] += genes


bind = Shift
