"""All brightness offsets: every value of an image rises or falls by as many levels, and stops at black and white."""

from quantrift.core.search.distorted_neighbourhood import Distorted
from quantrift.core.search.neighbourhood import Neighbourhood, Shape
from quantrift.core.search.neighbourhood_sizes import outwards, whole

USAGE = "brightness[=LEVELS]"
MEANING = "offsets from -LEVELS to LEVELS of 8 bits (255)"


def bind(size: str | None, shape: Shape) -> Neighbourhood:
    """The neighbourhood ``brightness=LEVELS`` of images of a shape."""
    reach = whole("brightness", size, 255, 255)
    return Distorted(f"brightness={reach}", {"levels": outwards(reach)}, "brightness", shape, unit=255)
