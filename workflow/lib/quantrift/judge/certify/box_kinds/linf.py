"""All images whose every value is within a few levels of the image's own: a ball of the L-infinity norm."""

import numpy as np

from quantrift.core.search.neighbourhood import Shape, whole
from quantrift.judge.certify.boxes import Boxes, ImageBox

USAGE = "linf[=LEVELS]"
MEANING = "each value changes by up to LEVELS of 8 bits on its own (1); also LEVELS/255; not enumerated, but bounded"


def bind(size: str | None, shape: Shape) -> Boxes:
    """The neighbourhood ``linf=LEVELS`` of images of any shape: one box around the image."""
    levels = whole("linf", size and size.removesuffix("/255"), 1, 255)

    def box(image: np.ndarray, number: int) -> ImageBox:
        # Values stop at black and white.
        low, high = (np.clip(image.astype(int) + by, 0, 255).astype(np.uint8) for by in (-levels, levels))
        return ImageBox(low, high)

    return Boxes(f"linf={levels}", 1, box)
