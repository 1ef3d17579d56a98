"""PSNR constraint: a peak signal-to-noise ratio of at least 20 dB to the seed input (DiverGet §4.3 (iii))."""

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
    """Definition of the peak; the paper does not say. ``patch_max`` (the authors' earlier tool): the maximum of the
    seed input, so that the constraint excludes candidates on whitened data. ``patch_range``: maximum minus minimum of
    the seed input. ``data_range``: that of the whole dataset, which hardly excludes anything on whitened data."""


class Psnr:
    """The constraint."""

    def __init__(self, params: Params, domain: Domain) -> None:
        self.params = params
        self._ruler = distance.Ruler(domain)

    def peak(self, originals: Originals) -> np.ndarray:
        """Peak of each seed input, float64 (m,); a maximum that is not positive falls back to the input's range."""
        if self.params.peak == "data_range":
            return np.full(len(originals.inputs), self._ruler.range)
        images = self._ruler.images(originals)
        maximum = images.maximum.astype(np.float64)
        if self.params.peak == "patch_max":
            return np.where(maximum > 0, maximum, maximum - images.minimum)
        return maximum - images.minimum

    def fallback(self, originals: Originals) -> np.ndarray:
        """Seed inputs whose maximum is not positive; see :class:`quantrift.search.constraint.Constraint`."""
        return (self._ruler.images(originals).maximum <= 0) & (self.params.peak == "patch_max")

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """PSNR = 20 log10(peak / RMSE) over the whole patch; see :class:`quantrift.search.constraint.Constraint`."""
        psnr = distance.psnr(self._ruler.errors(inputs, originals, rows), self.peak(originals)[rows])
        return Measured(judged=psnr, psnr=psnr)

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Shortfall of the PSNR in dB; see :class:`quantrift.search.constraint.Constraint`."""
        return np.maximum(self.params.min_db - judged, 0.0)


def bind(params: Params, domain: Domain) -> Psnr:
    """The constraint with its settings."""
    return Psnr(params, domain)
