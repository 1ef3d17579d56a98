"""Constraints: conditions under which a decoded input keeps the meaning of its seed input."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quantrift.core.search.space import Originals


@dataclass(frozen=True, eq=False)
class Measured:
    """Measurements of a constraint on n decoded inputs."""

    judged: np.ndarray
    """float64 (n,): the quantity that decides, in the constraint's unit."""
    psnr: np.ndarray
    """Peak signal-to-noise ratio in dB, float64 (n,), +inf for the seed input itself; recorded by every constraint."""


class Constraint(Protocol):
    """Made by the ``bind(params, domain)`` of a module of ``quantrift.core.search.constraints``."""

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """Compare decoded inputs, float32 (n, H, W, C), with the seed inputs ``rows`` (n,) they came from."""
        ...

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Violation of the constraint, in its unit, float64 (n,); exactly 0 where it holds.

        Args:
            judged: float64 (n,), of single inputs, or the medians of batches (the authors' earlier tool).
        """
        ...

    def fallback(self, originals: Originals) -> np.ndarray:
        """Seed inputs to which a fallback of the settings applies, bool (m,); recorded with their searches."""
        ...
