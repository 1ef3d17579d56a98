"""All images that differ within one square patch, whatever its values; every place of the patch is a box."""

import numpy as np

from quantrift.core.search.neighbourhood import Shape, whole
from quantrift.judge.certify.boxes import Boxes, ImageBox

USAGE = "patch[=SIDE]"
MEANING = "all values of all pixels of any one SIDE x SIDE patch (1); not enumerated, but bounded"


class Patch(Boxes):
    """Boxes in the order of memory of the patch's first pixel."""

    def __init__(self, side: int, shape: Shape) -> None:
        self._places = (shape[0] - side + 1, shape[1] - side + 1)
        super().__init__(f"patch={side}", self._places[0] * self._places[1])
        self._side = side

    def box(self, image: np.ndarray, number: int) -> ImageBox:
        """See :class:`quantrift.judge.certify.boxes.Boxes`."""
        row, column = divmod(number, self._places[1])
        low, high = image.copy(), image.copy()
        part = slice(row, row + self._side), slice(column, column + self._side)
        low[part], high[part] = 0, 255
        return ImageBox(low, high)


def bind(size: str | None, shape: Shape) -> Boxes:
    """The neighbourhood ``patch=SIDE`` of images of a shape."""
    return Patch(whole("patch", size, 1, min(shape[:2])), shape)
