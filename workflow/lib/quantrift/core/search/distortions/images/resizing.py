"""Resizing: an image is made smaller and larger again, by the method of another library or another program."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric
from quantrift.core.search.opencv import opencv

PLACE = 80
BY_DEFAULT = False
GROUPS = ("corruptions",)
HALVINGS = 1.0
"""Of the sides, at most."""
METHODS = ("INTER_NEAREST", "INTER_LINEAR", "INTER_CUBIC", "INTER_AREA")
"""Of OpenCV, each both ways: nearest pixel, bilinear, bicubic, mean over areas."""
CHANNELS = 4
"""Most channels that OpenCV resizes at once."""


class Resizing(Radiometric):
    """Halvings of the sides, and the number of the method among ``METHODS``."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, HALVINGS * setting.strength, integer=False), Gene(0, len(METHODS) - 1)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Resize to sides rounded to whole pixels, at least one, and back; sides that stay leave the image as it is."""
        _, height, width, channels = batch.images.shape
        for image, (halvings, method) in zip(batch.images, batch.genes.tolist(), strict=True):
            small = tuple(max(1, round(side / 2.0**halvings)) for side in (width, height))
            if small == (width, height):
                continue
            cv2 = opencv()
            by = getattr(cv2, METHODS[int(method)])
            for first in range(0, channels, CHANNELS):
                part = np.ascontiguousarray(image[..., first : first + CHANNELS])
                back = cv2.resize(cv2.resize(part, small, interpolation=by), (width, height), interpolation=by)
                image[..., first : first + CHANNELS] = back.reshape(part.shape)
        return batch.images


bind = Resizing
