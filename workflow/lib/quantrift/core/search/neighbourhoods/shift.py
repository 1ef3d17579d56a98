"""All shifts by whole pixels; beyond its borders an image goes on as its edges are."""

from quantrift.core.search.distorted_neighbourhood import Distorted
from quantrift.core.search.neighbourhood import Neighbourhood, Shape
from quantrift.core.search.neighbourhood_sizes import outwards, whole

USAGE = "shift[=PIXELS]"
MEANING = "shifts down and right by -PIXELS to PIXELS each (2)"


def bind(size: str | None, shape: Shape) -> Neighbourhood:
    """The neighbourhood ``shift=PIXELS`` of images of a shape."""
    reach = whole("shift", size, 2, max(1, max(shape[:2]) - 1))
    return Distorted(f"shift={reach}", {"down": outwards(reach), "right": outwards(reach)}, "shift", shape)
