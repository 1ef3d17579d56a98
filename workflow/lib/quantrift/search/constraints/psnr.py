"""Valid is what keeps a peak signal-to-noise ratio of at least 20 dB (DiverGet §4.3 (iii))."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt

from quantrift.search.constraint import Check
from quantrift.search.space import Originals


@dataclass(frozen=True)
class Params:
    """Settings of the constraint."""

    min_db: Annotated[float, Gt(0)] = 20.0
    """Smallest valid PSNR, in dB (DiverGet §4.3 (iii))."""
    peak: Literal["patch_max", "patch_range"] = "patch_max"
    """What counts as peak; the paper does not say. ``patch_max`` (the authors' earlier tool) makes the constraint
    bind on whitened data; ``patch_range`` is the original's maximum minus its minimum."""


def peak_value(originals: Originals, kind: str) -> np.ndarray:
    """Peak of each seed input, float64 (m,); a maximum that is not positive falls back to the range."""
    maximum = originals.maximum.astype(np.float64)
    span = maximum - originals.minimum
    return np.where(maximum > 0, maximum, span) if kind == "patch_max" else span


class Psnr:
    """The constraint."""

    def __init__(self, params: Params) -> None:
        self.params = params

    def check(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Check:
        """PSNR = 20 log10(peak / RMSE) over the whole patch; see :class:`quantrift.search.constraint.Constraint`."""
        # Row-wise sums of a C-contiguous array: a row's value does not depend on how many rows stand beside it.
        error = inputs.reshape(len(inputs), -1) - originals.flat[rows]
        np.square(error, out=error)
        mean = error.sum(axis=1).astype(np.float64) / error.shape[1]
        peak = peak_value(originals, self.params.peak)[rows]
        with np.errstate(divide="ignore"):
            psnr = 10.0 * np.log10(np.square(peak) / mean, where=mean > 0, out=np.full(len(mean), np.inf))
        violation = np.maximum(self.params.min_db - psnr, 0.0)
        return Check(valid=psnr >= self.params.min_db, violation=violation, psnr=psnr)


def bind(params: Params) -> Psnr:
    """The constraint with its settings."""
    return Psnr(params)
