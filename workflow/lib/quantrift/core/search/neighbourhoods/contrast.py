"""Contrast on a grid: distances from an image's mean are doubled or halved, in steps."""

from quantrift.core.search.distorted_neighbourhood import Distorted
from quantrift.core.search.neighbourhood import Neighbourhood, Shape
from quantrift.core.search.neighbourhood_sizes import reach_and_step

USAGE = "contrast[=REACH:STEP]"
MEANING = "distances from the mean times 2^d, d from -REACH to REACH in steps (1:0.01)"


def bind(size: str | None, shape: Shape) -> Neighbourhood:
    """The neighbourhood ``contrast=REACH:STEP`` of images of a shape, in doublings."""
    text, doublings = reach_and_step("contrast", size, "1:0.01", 8)
    return Distorted(f"contrast={text}", {"doublings": doublings}, "contrast", shape)
