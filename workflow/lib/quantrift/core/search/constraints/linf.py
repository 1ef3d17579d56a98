"""L-infinity constraint: no pixel differs from the seed input by more than a radius (DiffChaser §3.1, §3.3)."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from quantrift.core.search import distance
from quantrift.core.search.constraint import Measured
from quantrift.core.search.space import Domain, Originals

ROUNDING = 1e-6
"""Rounding error of a difference in float32, as a share of the data range; a level of 8 bits is 4e-3."""


@dataclass(frozen=True)
class Params:
    """Settings of the constraint."""

    radius: Annotated[float, Gt(0), Le(1)] = 8 / 255
    """Largest valid difference, as a share of the data range. DiffChaser names no value; this is that of a public
    re-implementation. The radius itself is valid: the published ``<`` would mean one level less on a grid."""
    peak: distance.Peak = "data_range"
    """Definition of the peak of the PSNR that is recorded; it decides nothing."""


class Linf:
    """The constraint."""

    def __init__(self, params: Params, domain: Domain) -> None:
        self.params = params
        self._ruler = distance.Ruler(domain)

    def fallback(self, originals: Originals) -> np.ndarray:
        """No fallbacks: False for each; see :class:`quantrift.core.search.constraint.Constraint`."""
        return np.zeros(len(originals.inputs), bool)

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """Largest difference as a share of the data range; see :class:`quantrift.core.search.constraint.Constraint`."""
        error = self._ruler.errors(inputs, originals, rows)
        judged = distance.largest(error) / self._ruler.range
        return Measured(judged=judged, psnr=distance.psnr(error, self._ruler.peak(originals, self.params.peak)[rows]))

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Excess over the radius, as a share of the data range; see :class:`core.search.constraint.Constraint`."""
        excess = judged - self.params.radius
        return np.where(excess > ROUNDING, excess, 0.0)


def bind(params: Params, domain: Domain) -> Linf:
    """The constraint with its settings."""
    return Linf(params, domain)
