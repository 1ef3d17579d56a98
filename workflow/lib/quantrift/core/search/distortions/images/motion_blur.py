"""Motion blur: the camera or the object moves along a line while the shutter is open."""

from math import ceil, cos, radians, sin

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around, up_to
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric, moved

PLACE = 44
GROUPS = ("corruptions",)


def bind(setting: Setting) -> Radiometric:
    """Length of the way in pixels, and its direction in degrees, counter-clockwise from the right.

    The way is at most 0.15 of the longer side.
    """
    reach = 0.15 * max(setting.shape[:2]) * setting.strength
    # As many images are averaged as keep neighbours on the way within a pixel.
    steps = np.linspace(-0.5, 0.5, 2 * ceil(reach / 2) + 1)

    def apply(batch: Batch) -> None:
        """Mean of the image along the way, evenly spaced about its middle."""
        genes = batch.genes.tolist()
        way = np.array([(-length * sin(radians(angle)), length * cos(radians(angle))) for length, angle in genes])
        still, sums = np.tile(np.eye(2), (len(way), 1, 1)), np.zeros_like(batch.images)
        for step in steps.tolist():
            sums += moved(batch.images, still, step * way)
        sums /= np.float32(len(steps))
        moving = way.any(axis=1)
        batch.images[moving] = sums[moving]

    return Radiometric([up_to(reach), around(90.0)], apply)
