"""Zoom about the middle of an image."""

import numpy as np

from quantrift.core.search.distortions.affine import Affine
from quantrift.core.search.distortions.genes import Setting, around, powers_of_two
from quantrift.core.search.distortions.image_distortion import Geometric

PLACE = 30
BY_DEFAULT = True
DOUBLINGS = 0.5
"""Of lengths, at most: from 0.71 to 1.41 times."""


class Zoom(Geometric):
    """Doublings of lengths."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([around(DOUBLINGS * setting.strength)])

    def move(self, genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
        """Divide by the factor."""
        affine.matrix[on] /= powers_of_two(genes[:, 0])[:, None, None]


bind = Zoom
