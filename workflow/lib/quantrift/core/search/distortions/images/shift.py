"""Shift of an image, as by a camera that points elsewhere."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.image_distortion import Affine, Geometric

PLACE = 10
GROUPS = ("default",)


def bind(setting: Setting) -> Geometric:
    """Pixels down and right, at most a fifth of the longer side."""
    reach = 0.2 * max(setting.shape[:2]) * setting.strength
    return Geometric([around(reach), around(reach)], apply)


def apply(genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
    """Add the pixels."""
    affine.shift[on] += genes
