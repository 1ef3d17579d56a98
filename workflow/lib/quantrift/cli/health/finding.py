"""What one check found."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True)
class Finding:
    """One line of the check-up."""

    check: str
    """What was looked at."""
    level: Level
    """``warning``: a run works, but slower, or its results are less sure. ``problem``: a run fails."""
    says: str
    """What was found."""
    todo: str = ""
    """What to do about it; empty when all is well."""
