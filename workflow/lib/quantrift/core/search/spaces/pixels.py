"""The space of all inputs of one shape: a candidate is an input itself, one gene for each channel of each pixel.

Images are kept in 8 bits, so decoding puts each gene on their grid. A decoded candidate is an image that a file can
hold, and a seed image decodes to itself, bit for bit. Where a network takes the channels of images on scales of their
own, genes are on the scale of their channel, and the grid is that of the same 8 bits.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.space import Domain, Originals, Space

ROUNDING = 1e-6
"""Rounding error of a radius in float32, as a share of the range of values: 8/255 are eight levels of 1/255."""


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    levels: Annotated[int, Ge(2), Le(65536)] | None = 256
    """Values that a gene takes, evenly spaced from the least to the greatest value of the dataset, or of its channel
    where channels have scales of their own: 256, as in images of 8 bits (DiffChaser §3.3: pixels from 0 to 255). None:
    any value between them, for hyperspectral data."""


class Grid:
    """Evenly spaced values, on one scale or on one for each place of the last axis."""

    def __init__(self, low: np.ndarray, span: np.ndarray, levels: int) -> None:
        """Takes the least value, and the greatest minus it: float32, () or (places,)."""
        self._low, self._span, self.levels = low, span, levels

    def place(self, values: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Positions of values among the levels, 0 for the first, not rounded: float32, a new array but for ``out``."""
        place = np.subtract(values, self._low, out=out)
        place *= np.float32(self.levels - 1) / self._span
        return place

    def values(self, levels: np.ndarray) -> np.ndarray:
        """The values of levels, float32, computed in place, and as those of images are (``ImageStack.take``)."""
        levels /= np.float32(self.levels - 1)
        levels *= self._span
        levels += self._low
        return levels


class Pixels(Space):
    """The inputs of one shape with values in one range, or in one for each channel."""

    def __init__(self, params: Params, domain: Domain) -> None:
        low, high = domain.bounds
        self._bytes = Grid(low, high - low, 256).values(
            np.repeat(np.arange(256, dtype=np.float32)[:, None], low.size, axis=1)
        )
        self._channel = np.arange(low.size)
        self._levels = params.levels
        self._low, self._high = domain.flat_bounds
        self.span: np.ndarray = self._high - self._low
        """Greatest minus least value: float32 (), or (genes,) where channels have scales of their own."""
        self._grid = None if params.levels is None else Grid(self._low, self.span, params.levels)
        self.shape: tuple[int, ...] = (int(np.prod(domain.shape)),)
        self.lower: np.ndarray = np.full(self.shape, self._low)
        self.upper: np.ndarray = np.full(self.shape, self._high)
        self.integer: np.ndarray = np.zeros(self.shape, bool)
        self._checked: Originals | None = None
        """Seed inputs of the last decoding, which lie on the grid."""

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N inputs of noise, float32 (n, genes)."""
        return self._drawn((n, *self.shape), self._low, self.span, rng)

    def values(self, genes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Values for genes by their numbers (n,), all that a gene can take being equally likely: float32 (n,)."""
        low, span = (part[genes] if part.ndim else part for part in (self._low, self.span))
        return self._drawn((len(genes),), low, span, rng)

    def _drawn(self, size: tuple[int, ...], low: np.ndarray, span: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (
            np.asarray(low + rng.random(size, np.float32) * span)
            if self._levels is None
            else Grid(low, span, self._levels).values(rng.integers(self._levels, size=size).astype(np.float32))
        )

    def levels(self, values: np.ndarray) -> np.ndarray:
        """The values of images (..., H, W, C) as their levels of 8 bits: uint8 of the same shape, rounded.

        Raises:
            QuantriftError: if the grid has not 256 levels.
        """
        if self._grid is None or self._levels != len(self._bytes):
            raise QuantriftError("space.pixels.levels: the searcher needs images of 8 bits; take `levels: 256`")
        return np.rint(self._grid.place(values.reshape(-1, *self.shape))).astype(np.uint8).reshape(values.shape)

    def of_levels(self, levels: np.ndarray) -> np.ndarray:
        """The values of images (..., H, W, C) of levels of 8 bits, uint8: float32 of the same shape."""
        return self._bytes.ravel().take(levels) if self._bytes.shape[1] == 1 else self._bytes[levels, self._channel]

    def around(self, centre: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value of each gene within a radius, on the grid: float32 (genes,) each.

        Args:
            centre: an input, float32 (genes,).
            radius: how far a gene may be from it, as a share of the range of values.
        """
        if self._grid is None:
            reach = np.float32(radius) * self.span
            return np.maximum(centre - reach, self._low), np.minimum(centre + reach, self._high)
        last = self._grid.levels - 1
        place = self._grid.place(centre).astype(np.float64)
        down = np.maximum(np.ceil(place - radius * last - ROUNDING * last), 0)
        up = np.minimum(np.floor(place + radius * last + ROUNDING * last), last)
        return self._grid.values(down.astype(np.float32)), self._grid.values(up.astype(np.float32))

    def settled(self, candidates: np.ndarray) -> np.ndarray:
        """Candidates (n, genes) with each gene at the nearest value of the grid, float32."""
        if self._grid is None:
            return candidates
        levels = self._grid.place(candidates)
        return self._grid.values(np.rint(levels, out=levels))

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """The candidates on the grid; see :class:`quantrift.core.search.space.Space`.

        Raises:
            QuantriftError: if a seed input is not on the grid itself, as those of a scene are not.
        """
        if originals is not self._checked and not np.array_equal(self.settled(originals.flat), originals.flat):
            raise QuantriftError(
                f"space.pixels.levels: a seed input has other values than {self._levels} levels from "
                f"{self._low.min():g} to {self._high.max():g}; take `levels: null` for inputs that are not 8-bit images"
            )
        self._checked = originals
        return self.settled(candidates).reshape(len(candidates), *originals.inputs.shape[1:])


def images_alone(params: Params) -> bool:
    """Whether the inputs must be images, on a grid of levels."""
    return params.levels is not None


bind = Pixels
