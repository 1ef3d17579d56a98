"""No constraint: every input is valid. The distance from the seed input is recorded all the same."""

from dataclasses import dataclass

import numpy as np

from quantrift.search import distance
from quantrift.search.constraint import Measured
from quantrift.search.space import Domain, Originals


@dataclass(frozen=True)
class Params:
    """The constraint has no settings."""


class Unconstrained:
    """The constraint that always holds."""

    def __init__(self, domain: Domain) -> None:
        self._ruler = distance.Ruler(domain)

    def fallback(self, originals: Originals) -> np.ndarray:
        """No fallbacks: False for each; see :class:`quantrift.search.constraint.Constraint`."""
        return np.zeros(len(originals.inputs), bool)

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """PSNR, whose peak is the data range; see :class:`quantrift.search.constraint.Constraint`."""
        psnr = distance.psnr(self._ruler.errors(inputs, originals, rows), self._ruler.range)
        return Measured(judged=psnr, psnr=psnr)

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Zeros; see :class:`quantrift.search.constraint.Constraint`."""
        return np.zeros(len(judged))


def bind(params: Params, domain: Domain) -> Unconstrained:
    """The constraint for inputs of a dataset."""
    return Unconstrained(domain)
