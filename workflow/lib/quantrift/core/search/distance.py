"""Distances between decoded inputs and their seed inputs: differences, L-infinity norm, PSNR.

Sums and largest values are those of rows of C-contiguous arrays, so that a row's distance does not depend on how many
rows stand beside it.
"""

from typing import Literal

import numpy as np

from quantrift.core.search.space import Domain, Originals

Peak = Literal["patch_max", "patch_range", "data_range"]
"""Definition of the peak of a PSNR. ``patch_max`` (the authors' earlier tool of DiverGet): the maximum of the seed
input. ``patch_range``: maximum minus minimum of the seed input. ``data_range``: that of the whole dataset."""


class Ruler:
    """Differences of inputs in the unit that their images have.

    The unit is that of the values, unless channels have scales of their own. Then black is 0 and white is 1 in each
    channel, so that a network's preprocessing does not change the distance between two images. A channel that is
    constant keeps its unit.
    """

    def __init__(self, domain: Domain) -> None:
        self._own = bool(domain.channels)
        self._low, high = domain.flat_bounds
        span = high - self._low
        self._span = np.where(span > 0, span, np.float32(1))
        self.range: float = 1.0 if self._own else domain.high - domain.low
        """Greatest minus least value, in this unit."""

    def errors(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Differences as :func:`errors` has them, in this unit."""
        found = errors(inputs, originals, rows)
        return np.divide(found, self._span, out=found) if self._own else found

    def peak(self, originals: Originals, kind: Peak) -> np.ndarray:
        """Peak of each seed input, float64 (m,); a maximum that is not positive falls back to the input's range."""
        if kind == "data_range":
            return np.full(len(originals.inputs), self.range)
        images = self.images(originals)
        maximum = images.maximum.astype(np.float64)
        if kind == "patch_max":
            return np.where(maximum > 0, maximum, maximum - images.minimum)
        return maximum - images.minimum

    def images(self, originals: Originals) -> Originals:
        """The seed inputs in this unit."""
        if not self._own:
            return originals
        return Originals(((originals.flat - self._low) / self._span).reshape(originals.inputs.shape))


def errors(inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
    """Differences of inputs (n, H, W, C) from the seed inputs ``rows`` (n,): a new array, float32 (n, H * W * C)."""
    flat = inputs.reshape(len(inputs), -1)
    if len(originals.flat) == 1:
        return flat - originals.flat
    seeds = originals.flat[rows]
    return np.subtract(flat, seeds, out=seeds)


def largest(error: np.ndarray) -> np.ndarray:
    """L-infinity norm of rows of differences (n, genes), float64 (n,)."""
    return np.maximum(error.max(axis=1), -error.min(axis=1)).astype(np.float64)


def psnr(error: np.ndarray, peak: np.ndarray | float) -> np.ndarray:
    """Peak signal-to-noise ratio, 20 log10(peak / RMSE): dB, float64 (n,), +inf where nothing differs.

    Args:
        error: differences, float32 (n, genes), which are overwritten.
        peak: of each row or of all, in the unit of the inputs.
    """
    np.square(error, out=error)
    mean = error.sum(axis=1).astype(np.float64) / error.shape[1]
    with np.errstate(divide="ignore"):
        return 10.0 * np.log10(np.square(peak) / mean, where=mean > 0, out=np.full(len(mean), np.inf))
