"""Constraint of observed ranges: no value leaves the range that its channel or feature has in the inputs given.

It is what natural changes of signals and tables keep to. They have no scale of black and white, and no distance at
which all of them stay recognisable: a signal that comes a little later is far from itself by any norm.
"""

from dataclasses import dataclass

import numpy as np

from quantrift.core.search.constraint import ROUNDING, Constraint, Measured, Peak
from quantrift.core.search.space import Originals


@dataclass(frozen=True)
class Params:
    """Settings of the record alone: ranges are those of the inputs."""

    peak: Peak = "data_range"
    """Definition of the peak of the PSNR that is recorded; it decides nothing."""


class ObservedRange(Constraint):
    """The constraint."""

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """Largest excess of a value beyond its range, as a share of that range; 0 within it."""
        flat = inputs.reshape(len(inputs), -1)
        beyond = np.maximum(flat - self._high, self._low - flat) / self._span
        return Measured(
            np.maximum(beyond.max(axis=1), 0).astype(np.float64),
            self._psnr(self._errors(inputs, originals, rows), originals, rows),
        )

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Excess, as a share of the range; see :class:`quantrift.core.search.constraint.Constraint`."""
        return np.where(judged > ROUNDING, judged, 0.0)


bind = ObservedRange
