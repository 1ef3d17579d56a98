"""Valid is what keeps a peak signal-to-noise ratio of at least 20 dB (DiverGet §4.3 (iii))."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt

from quantrift.search import distance
from quantrift.search.constraint import Measured
from quantrift.search.space import Domain, Originals


@dataclass(frozen=True)
class Params:
    """Settings of the constraint."""

    min_db: Annotated[float, Gt(0)] = 20.0
    """Smallest valid PSNR, in dB (DiverGet §4.3 (iii))."""
    peak: Literal["patch_max", "patch_range", "data_range"] = "patch_max"
    """What counts as peak; the paper does not say. ``patch_max`` (the authors' earlier tool) makes the constraint
    bind on whitened data. ``patch_range`` is the original's maximum minus its minimum; ``data_range`` that of the
    whole dataset, which hardly excludes anything there."""


class Psnr:
    """The constraint."""

    def __init__(self, params: Params, domain: Domain) -> None:
        self.params = params
        self._span = domain.high - domain.low

    def peak(self, originals: Originals) -> np.ndarray:
        """Peak of each seed input, float64 (m,); a maximum that is not positive falls back to the input's range."""
        maximum = originals.maximum.astype(np.float64)
        match self.params.peak:
            case "patch_max":
                return np.where(maximum > 0, maximum, maximum - originals.minimum)
            case "patch_range":
                return maximum - originals.minimum
            case "data_range":
                return np.full(len(maximum), self._span)

    def fallback(self, originals: Originals) -> np.ndarray:
        """Where the maximum is not positive; see :class:`quantrift.search.constraint.Constraint`."""
        return (originals.maximum <= 0) & (self.params.peak == "patch_max")

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """PSNR = 20 log10(peak / RMSE) over the whole patch; see :class:`quantrift.search.constraint.Constraint`."""
        psnr = distance.psnr(distance.errors(inputs, originals, rows), self.peak(originals)[rows])
        return Measured(judged=psnr, psnr=psnr)

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """By how many dB the PSNR falls short; see :class:`quantrift.search.constraint.Constraint`."""
        return np.maximum(self.params.min_db - judged, 0.0)


def bind(params: Params, domain: Domain) -> Psnr:
    """The constraint with its settings."""
    return Psnr(params, domain)
