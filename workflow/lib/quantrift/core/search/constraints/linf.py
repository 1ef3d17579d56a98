"""L-infinity constraint: no pixel differs from the seed input by more than a radius (DiffChaser §3.1, §3.3)."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from quantrift.core.search.constraint import ROUNDING, Constraint, Measured, Peak
from quantrift.core.search.space import Originals


@dataclass(frozen=True)
class Params:
    """Settings of the constraint."""

    radius: Annotated[float, Gt(0), Le(1)] = 8 / 255
    """Largest valid difference, as a share of the data range. DiffChaser names no value; this is that of a public
    re-implementation. The radius itself is valid: the published ``<`` would mean one level less on a grid."""
    peak: Peak = "data_range"
    """Definition of the peak of the PSNR that is recorded; it decides nothing."""


class Linf(Constraint):
    """The constraint."""

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """Largest difference as a share of the data range; see :class:`quantrift.core.search.constraint.Constraint`."""
        error = self._errors(inputs, originals, rows)
        judged = np.maximum(error.max(axis=1), -error.min(axis=1)).astype(np.float64) / self._range
        return Measured(judged=judged, psnr=self._psnr(error, originals, rows))

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Excess over the radius, as a share of the data range; see :class:`core.search.constraint.Constraint`."""
        excess = judged - self.params.radius
        return np.where(excess > ROUNDING, excess, 0.0)


bind = Linf
