"""All values of each single pixel, channel by channel; the rest of the image stays as it is."""

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.neighbourhood import Grid, Neighbourhood, Shape

USAGE = "pixel"
MEANING = "256 values of each channel of each pixel alone"


class Pixel(Grid):
    """One value of an image, set to anything."""

    def __init__(self, shape: Shape) -> None:
        sides = dict(zip(("row", "column", "channel"), map(np.arange, shape), strict=True))
        super().__init__("pixel", sides | {"value": np.arange(256)})

    def apply(self, images: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """See :class:`quantrift.core.search.neighbourhood.Neighbourhood`."""
        changed = images.copy()
        row, column, channel, value = parameters.astype(np.int64).T
        changed[np.arange(len(images)), row, column, channel] = value
        return changed


def bind(size: str | None, shape: Shape) -> Neighbourhood:
    """The neighbourhood ``pixel`` of images of a shape."""
    if size is not None:
        raise QuantriftError(f"'pixel={size}'; pixel takes no number, as it has every value")
    return Pixel(shape)
