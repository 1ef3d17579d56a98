"""PSNR constraint: a peak signal-to-noise ratio of at least 20 dB to the seed input (DiverGet §4.3 (iii))."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Gt

from quantrift.core.search.constraint import Constraint, Peak
from quantrift.core.search.space import Originals


@dataclass(frozen=True)
class Params:
    """Settings of the constraint."""

    min_db: Annotated[float, Gt(0)] = 20.0
    """Smallest valid PSNR, in dB (DiverGet §4.3 (iii))."""
    peak: Peak = "patch_max"
    """Definition of the peak; the paper does not say. ``patch_max`` excludes candidates on whitened data, where
    ``data_range`` hardly excludes any."""
    guides: bool = True
    """Whether searches leave out candidates that are not valid. ``False`` is DiverGet's Algorithm 1 as it is listed
    (lines 6 to 13): such candidates are run, their fitness guides the search, and they never count as found."""


class Psnr(Constraint):
    """The constraint, on PSNR = 20 log10(peak / RMSE) over the whole patch."""

    @property
    def guides(self) -> bool:
        """See :class:`quantrift.core.search.constraint.Constraint`."""
        return bool(self.params.guides)

    def fallback(self, originals: Originals) -> np.ndarray:
        """Seed inputs whose maximum is not positive; see :class:`quantrift.core.search.constraint.Constraint`."""
        return (self._images(originals).maximum <= 0) & (self.params.peak == "patch_max")

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Shortfall of the PSNR in dB; see :class:`quantrift.core.search.constraint.Constraint`."""
        return np.maximum(self.params.min_db - judged, 0.0)


bind = Psnr
