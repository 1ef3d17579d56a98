"""Constraint of observed ranges: no value leaves the range that its channel or feature has in the inputs given.

It is what natural changes of signals and tables keep to. They have no scale of black and white, and no distance at
which all of them stay recognisable: a signal that comes a little later is far from itself by any norm.
"""

from dataclasses import dataclass

import numpy as np

from quantrift.core.search import distance
from quantrift.core.search.constraint import Measured
from quantrift.core.search.space import Domain, Originals

ROUNDING = 1e-6
"""Rounding error of a value in float32, as a share of its range."""


@dataclass(frozen=True)
class Params:
    """Settings of the record alone: ranges are those of the inputs."""

    peak: distance.Peak = "data_range"
    """Definition of the peak of the PSNR that is recorded; it decides nothing."""


class ObservedRange:
    """The constraint."""

    def __init__(self, params: Params, domain: Domain) -> None:
        self.params = params
        self._ruler = distance.Ruler(domain)
        self._low, self._high = domain.flat_bounds
        width = self._high - self._low
        self._width = np.where(width > 0, width, np.float32(1))

    def fallback(self, originals: Originals) -> np.ndarray:
        """No fallbacks: False for each; see :class:`quantrift.core.search.constraint.Constraint`."""
        return np.zeros(len(originals.inputs), bool)

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """Largest excess of a value beyond its range, as a share of that range; 0 within it."""
        flat = inputs.reshape(len(inputs), -1)
        beyond = np.maximum(flat - self._high, self._low - flat) / self._width
        judged = np.maximum(beyond.max(axis=1), 0).astype(np.float64)
        peak = self._ruler.peak(originals, self.params.peak)[rows]
        return Measured(judged=judged, psnr=distance.psnr(self._ruler.errors(inputs, originals, rows), peak))

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Excess, as a share of the range; see :class:`quantrift.core.search.constraint.Constraint`."""
        return np.where(judged > ROUNDING, judged, 0.0)


def bind(params: Params, domain: Domain) -> ObservedRange:
    """The constraint with its settings."""
    return ObservedRange(params, domain)
