"""No constraint: every input is valid. The distance from the seed input is recorded all the same."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.search import distance
from quantrift.core.search.constraint import Measured
from quantrift.core.search.space import Domain, Originals


@dataclass(frozen=True)
class Params:
    """Settings of the record alone, as every input is valid."""

    peak: distance.Peak = "data_range"
    """Definition of the peak of the PSNR that is recorded."""


class Unconstrained:
    """The constraint that always holds."""

    def __init__(self, params: Params, domain: Domain) -> None:
        self.params = params
        self._ruler = distance.Ruler(domain)

    def fallback(self, originals: Originals) -> np.ndarray:
        """No fallbacks: False for each; see :class:`quantrift.core.search.constraint.Constraint`."""
        return np.zeros(len(originals.inputs), bool)

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """PSNR; see :class:`quantrift.core.search.constraint.Constraint`."""
        peak = self._ruler.peak(originals, self.params.peak)[rows]
        psnr = distance.psnr(self._ruler.errors(inputs, originals, rows), peak)
        return Measured(judged=psnr, psnr=psnr)

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Zeros; see :class:`quantrift.core.search.constraint.Constraint`."""
        return np.zeros(len(judged))


def bind(params: Params, domain: Domain) -> Unconstrained:
    """The constraint with its settings."""
    return Unconstrained(params, domain)
