"""All images whose every value is within a few levels of the image's own: a ball of the L-infinity norm."""

import numpy as np

from quantrift.core.search.neighbourhood import Shape, whole
from quantrift.judge.certify.boxes import Boxes, ImageBox

USAGE = "linf[=LEVELS]"
MEANING = "each value changes by up to LEVELS of 8 bits on its own (1); also LEVELS/255; not enumerated, but bounded"


class LInf(Boxes):
    """One box around the image; values stop at black and white."""

    def __init__(self, levels: int) -> None:
        super().__init__(f"linf={levels}", 1)
        self._levels = levels

    def box(self, image: np.ndarray, number: int) -> ImageBox:
        """See :class:`quantrift.judge.certify.boxes.Boxes`."""
        low, high = (np.clip(image.astype(int) + by, 0, 255) for by in (-self._levels, self._levels))
        return ImageBox(low.astype(np.uint8), high.astype(np.uint8))


def bind(size: str | None, shape: Shape) -> Boxes:
    """The neighbourhood ``linf=LEVELS`` of images of any shape."""
    return LInf(whole("linf", size and size.removesuffix("/255"), 1, 255))
