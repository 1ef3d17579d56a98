"""Motion blur: the camera or the object moves along a line while the shutter is open."""

from math import ceil, cos, radians, sin

import numpy as np

from quantrift.core.search.distortions.affine import moved
from quantrift.core.search.distortions.genes import Gene, Setting, around
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 44
BY_DEFAULT = False
GROUPS = ("corruptions",)
SHARE = 0.15
"""Of the longer side, at most: length of the way."""


class MotionBlur(Radiometric):
    """Length of the way in pixels, and its direction in degrees, counter-clockwise from the right."""

    def __init__(self, setting: Setting) -> None:
        reach = SHARE * max(setting.shape[:2]) * setting.strength
        # As many images are averaged as keep neighbours on the way within a pixel.
        self._steps = np.linspace(-0.5, 0.5, 2 * ceil(reach / 2) + 1)
        super().__init__([Gene(0, reach, integer=False), around(90.0)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Mean of the image along the way, evenly spaced about its middle."""
        ways = [(-length * sin(radians(angle)), length * cos(radians(angle))) for length, angle in batch.genes.tolist()]
        way, still = np.array(ways), np.tile(np.eye(2), (len(ways), 1, 1))
        sums = np.zeros_like(batch.images)
        for step in self._steps.tolist():
            sums += moved(batch.images, still, step * way)
        sums /= np.float32(len(self._steps))
        staying = ~way.any(axis=1)
        sums[staying] = batch.images[staying]
        return sums


bind = MotionBlur
