"""Resizing: an image is made smaller and larger again, by the method of another library or another program."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, up_to
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric
from quantrift.core.search.libraries.installed import opencv

PLACE = 80
GROUPS = ("corruptions",)
METHODS = ("INTER_NEAREST", "INTER_LINEAR", "INTER_CUBIC", "INTER_AREA")
"""Of OpenCV, each both ways: nearest pixel, bilinear, bicubic, mean over areas."""
CHANNELS = 4
"""Most channels that OpenCV resizes at once."""


def bind(setting: Setting) -> Radiometric:
    """Halvings of the sides, at most one, and the number of the method among ``METHODS``."""
    return Radiometric([up_to(setting.strength), Gene(0, len(METHODS) - 1)], apply)


def apply(batch: Batch) -> None:
    """Resize to sides rounded to whole pixels, at least one, and back; sides that stay leave the image as it is."""
    _, height, width, channels = batch.images.shape
    for image, (halvings, method) in zip(batch.images, batch.genes.tolist(), strict=True):
        small = tuple(max(1, round(side / 2.0**halvings)) for side in (width, height))
        for first in range(0, channels, CHANNELS) if small != (width, height) else ():
            cv2 = opencv()
            by = getattr(cv2, METHODS[int(method)])
            part = np.ascontiguousarray(image[..., first : first + CHANNELS])
            back = cv2.resize(cv2.resize(part, small, interpolation=by), (width, height), interpolation=by)
            image[..., first : first + CHANNELS] = back.reshape(part.shape)
