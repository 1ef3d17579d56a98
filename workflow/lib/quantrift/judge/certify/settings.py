"""Settings of a certification."""

from dataclasses import dataclass

BOXES = 16
CERTIFIED = 40
"""First inputs that an assessment certifies, or all where there are fewer: each has whole neighbourhoods to run."""


@dataclass(frozen=True)
class Settings:
    """What is asked for."""

    neighbourhoods: str
    """See ``quantrift.judge.certify.asked_neighbourhoods``."""
    number: int | None = None
    """First inputs of the file; None for all."""
    budget: int | None = None
    """Most members of a neighbourhood of one input; None for all."""
    boxes: int = BOXES
    """Boxes to look at for each box of a neighbourhood, with the halves that it is cut into."""
    command: str = ""
