"""All images that differ within one square patch, whatever its values; every place of the patch is a box."""

import numpy as np

from quantrift.core.search.neighbourhood import Shape, whole
from quantrift.judge.certify.boxes import Boxes, ImageBox

USAGE = "patch[=SIDE]"
MEANING = "all values of all pixels of any one SIDE x SIDE patch (1); not enumerated, but bounded"


def bind(size: str | None, shape: Shape) -> Boxes:
    """The neighbourhood ``patch=SIDE`` of images of a shape; boxes in the order of memory of the first pixel."""
    side = whole("patch", size, 1, min(shape[:2]))
    down, right = (length - side + 1 for length in shape[:2])

    def box(image: np.ndarray, number: int) -> ImageBox:
        row, column = divmod(number, right)
        low, high = image.copy(), image.copy()
        part = slice(row, row + side), slice(column, column + side)
        low[part], high[part] = 0, 255
        return ImageBox(low, high)

    return Boxes(f"patch={side}", down * right, box)
