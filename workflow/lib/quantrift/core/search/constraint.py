"""Constraints: conditions under which a decoded input keeps the meaning of its seed input, and distances of the two.

Sums and largest values are those of rows of C-contiguous arrays, so that a row's distance does not depend on how many
rows stand beside it.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from quantrift.core.search.space import Domain, Originals

Peak = Literal["patch_max", "patch_range", "data_range"]
"""Definition of the peak of a PSNR. ``patch_max`` (the authors' earlier tool of DiverGet): the maximum of the seed
input. ``patch_range``: maximum minus minimum of the seed input. ``data_range``: that of the whole dataset."""
ROUNDING = 1e-6
"""Rounding error of a value in float32, as a share of the data range; a level of 8 bits is 4e-3."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Measurements of a constraint on n decoded inputs."""

    judged: np.ndarray
    """float64 (n,): the quantity that decides, in the constraint's unit."""
    psnr: np.ndarray
    """Peak signal-to-noise ratio in dB, float64 (n,), +inf for the seed input itself; recorded by every constraint."""


class Constraint:
    """Made by the ``bind(params, domain)`` of a module of ``quantrift.core.search.constraints``; this one always holds.

    Distances are in the unit of the values, unless channels have scales of their own. Then black is 0 and white is 1 in
    each channel, so that a network's preprocessing does not change the distance between two images. A channel that is
    constant keeps its unit.
    """

    def __init__(self, params: Any, domain: Domain) -> None:
        """Takes settings that have ``peak``, the definition of the peak of the PSNR."""
        self.params = params
        self._own = bool(domain.channels)
        self._low, self._high = domain.flat_bounds
        span = self._high - self._low
        self._span = np.where(span > 0, span, np.float32(1))
        self._range: float = 1.0 if self._own else domain.high - domain.low
        """Greatest minus least value, in the unit of distances."""

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """Compare decoded inputs, float32 (n, H, W, C), with the seed inputs ``rows`` (n,) they came from, by PSNR."""
        psnr = self._psnr(self._errors(inputs, originals, rows), originals, rows)
        return Measured(judged=psnr, psnr=psnr)

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """Violation of the constraint, in its unit, float64 (n,); exactly 0 where it holds.

        Args:
            judged: float64 (n,), of single inputs, or the medians of batches (the authors' earlier tool).
        """
        return np.zeros(len(judged))

    @property
    def guides(self) -> bool:
        """Whether searches leave out candidates that violate the constraint.

        Where they do not, such candidates are run as well, and their fitness guides the search.
        """
        return True

    def fallback(self, originals: Originals) -> np.ndarray:
        """Seed inputs to which a fallback of the settings applies, bool (m,); recorded with their searches."""
        return np.zeros(len(originals.inputs), bool)

    def _errors(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Differences of inputs (n, H, W, C) from their seed inputs: a new array, float32 (n, H * W * C)."""
        flat = inputs.reshape(len(inputs), -1)
        if len(originals.flat) == 1:
            found = flat - originals.flat
        else:
            seeds = originals.flat[rows]
            found = np.subtract(flat, seeds, out=seeds)
        return np.divide(found, self._span, out=found) if self._own else found

    def _psnr(self, error: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Peak signal-to-noise ratio, 20 log10(peak / RMSE): dB, float64 (n,), +inf where nothing differs.

        Differences, float32 (n, genes), are overwritten.
        """
        np.square(error, out=error)
        mean = error.sum(axis=1).astype(np.float64) / error.shape[1]
        peak = self._peak(originals)[rows]
        with np.errstate(divide="ignore"):
            return 10.0 * np.log10(np.square(peak) / mean, where=mean > 0, out=np.full(len(mean), np.inf))

    def _peak(self, originals: Originals) -> np.ndarray:
        """Peak of each seed input, float64 (m,); a maximum that is not positive falls back to the input's range."""
        if self.params.peak == "data_range":
            return np.full(len(originals.inputs), self._range)
        images = self._images(originals)
        maximum = images.maximum.astype(np.float64)
        spread = maximum - images.minimum
        return np.where(maximum > 0, maximum, spread) if self.params.peak == "patch_max" else spread

    def _images(self, originals: Originals) -> Originals:
        """The seed inputs in the unit of distances."""
        if not self._own:
            return originals
        return Originals(((originals.flat - self._low) / self._span).reshape(originals.inputs.shape))
