"""Rotations about the middle on a grid of angles, counter-clockwise."""

from quantrift.core.search.distorted_neighbourhood import Distorted
from quantrift.core.search.neighbourhood import Neighbourhood, Shape
from quantrift.core.search.neighbourhood_sizes import reach_and_step

USAGE = "rotation[=REACH:STEP]"
MEANING = "degrees from -REACH to REACH in steps (30:0.5)"


def bind(size: str | None, shape: Shape) -> Neighbourhood:
    """The neighbourhood ``rotation=REACH:STEP`` of images of a shape, in degrees."""
    text, degrees = reach_and_step("rotation", size, "30:0.5", 180)
    return Distorted(f"rotation={text}", {"degrees": degrees}, "rotation", shape)
