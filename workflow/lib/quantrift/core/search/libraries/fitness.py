"""Evaluation of one candidate, as search libraries receive it."""

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
    """Violation of the constraint, 0 where valid, in the constraint's unit (dB for PSNR)."""


Evaluate = Callable[[np.ndarray], Verdict]
"""Evaluates one candidate (genes,); may raise to end a search."""
