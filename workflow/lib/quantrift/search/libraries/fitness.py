"""What a search library is told of a candidate."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """The evaluation of one candidate."""

    fitness: float
    """Larger is better; NaN where not valid."""
    valid: bool
    """Whether the constraint holds."""
    violation: float
    """By how much it does not, 0 where valid; the unit is the constraint's (dB for PSNR)."""


Evaluate = Callable[[np.ndarray], Verdict]
"""Evaluates one candidate (genes,); may raise to end a search."""
