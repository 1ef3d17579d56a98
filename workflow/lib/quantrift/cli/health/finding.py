"""Finding of one check."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True)
class Finding:
    """One line of the check-up."""

    check: str
    """Subject of the check."""
    level: Level
    """``warning``: a run works, but slower, or its results are less sure. ``problem``: a run fails."""
    says: str
    """Result of the check."""
    todo: str = ""
    """Remedy; empty when all is well."""
