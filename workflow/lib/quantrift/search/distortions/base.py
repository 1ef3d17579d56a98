"""What a distortion is: a block of genes, and what they do to a patch."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np

from quantrift.search.space import Originals

Shape = tuple[int, int, int]
"""(H, W, B) of a patch."""


@dataclass(frozen=True)
class Gene:
    """A run of equal genes. Integer genes are rounded when decoded."""

    lower: float
    upper: float
    integer: bool = True
    count: int = 1


ON_OFF = Gene(0, 1)


@dataclass(frozen=True)
class Setting:
    """What the block of a distortion depends on."""

    shape: Shape
    strength: float = 1
    """Share in (0, 1] of the distortion's full range (DiverGet §4.3 (ii))."""
    variant: Literal["paper", "code"] = "paper"


def share(fraction: float, of: int) -> int:
    """ceil(fraction of ``of``), at least 1; safe against binary fractions such as .07 * 100 = 7.000000000000001."""
    return max(1, ceil(round(fraction * of, 9)))


def pairs(first: Gene, second: Gene, count: int) -> list[Gene]:
    """``count`` times the two genes in turn."""
    return [first, second] * count


def bounds(genes: list[Gene]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower bounds, upper bounds (float32) and integer flags (bool) of a list of genes, each (length,)."""
    counts = [gene.count for gene in genes]
    return (
        np.repeat(np.array([gene.lower for gene in genes], np.float32), counts),
        np.repeat(np.array([gene.upper for gene in genes], np.float32), counts),
        np.repeat(np.array([gene.integer for gene in genes], bool), counts),
    )


def uniform(bounds: tuple[np.ndarray, np.ndarray], integer: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """N random vectors, float32 (n, length), each gene anywhere between its bounds, (length,), both included."""
    lower, upper = bounds
    # An integer gene is the floor of a number between its lower bound and one above its upper bound.
    width = upper.astype(np.float64) - lower + integer
    vectors = lower + rng.random((n, len(lower))) * width
    np.floor(vectors, out=vectors, where=integer)
    return np.minimum(vectors, upper, out=vectors).astype(np.float32)


def switched_on(candidates: np.ndarray, places: list[int]) -> np.ndarray:
    """Which blocks, whose activation genes are at ``places``, are on: a bit each, the first lowest; uint32 (n,)."""
    on = np.rint(candidates[:, places]) == 1
    return (on << np.arange(len(places))).sum(axis=1).astype(np.uint32)


class Distortion:
    """The block of one distortion. Everything is vectorised over candidates."""

    def __init__(self, genes: list[Gene]) -> None:
        self.genes = genes
        """The block's genes after its activation gene; an empty list where the shape has no room for it."""

    def redraw(self, block: np.ndarray, rng: np.random.Generator) -> None:
        """Draw anew, in place, the genes that do not start as uniform draws between their bounds; none by default.

        Args:
            block: float32 (n, length), drawn uniformly.
            rng: where all draws come from.
        """
        return None


@dataclass(frozen=True, eq=False)
class Batch:
    """The candidates of a wave in which one distortion is active."""

    genes: np.ndarray
    """float32 (k, length), integer genes already rounded."""
    rows: np.ndarray
    """int (k,): the candidate's place in ``patches``."""
    lines: np.ndarray
    """bool (k,): the shared mode gene, True for lines (rows of the patch), False for columns."""
    patches: np.ndarray
    """float32 (n, H, W, B), C-contiguous, distorted in place."""
    originals: Originals
    source: np.ndarray
    """int (k,): the seed input among ``originals`` that the candidate distorts."""

    @property
    def pixels(self) -> np.ndarray:
        """The patches as rows of spectra, float32 (n * H * W, B)."""
        return self.patches.reshape(-1, self.patches.shape[3])

    @property
    def minimum(self) -> np.ndarray:
        """Smallest value of the original patch, float32 (k,)."""
        return self.originals.minimum[self.source]

    @property
    def maximum(self) -> np.ndarray:
        """Largest value of the original patch, float32 (k,)."""
        return self.originals.maximum[self.source]

    def places(self, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some pixels as rows of ``self.pixels``.

        Args:
            pixels: bool (k, H, W) or (k, H * W).

        Returns:
            The candidate (m,) among the k and the row (m,) of each pixel that is True, in order.
        """
        size = pixels[0].size
        hit = np.flatnonzero(pixels)
        k = hit // size
        return k, hit + (self.rows - np.arange(len(self.rows)))[k] * size


class Radiometric(Distortion, ABC):
    """Alters values of pixels (DiverGet §4.3 (i))."""

    @abstractmethod
    def apply(self, batch: Batch) -> None:
        """Distort the batch's patches in place."""


class Geometric(Distortion, ABC):
    """Turns or scales the grid of pixels about the patch's centre (DiverGet §4.3 (i))."""

    @abstractmethod
    def turn(self, genes: np.ndarray) -> np.ndarray:
        """Where each pixel's value comes from.

        Args:
            genes: float32 (k, length).

        Returns:
            complex128 (k,): the factor that takes a pixel's offset from the centre, columns + i lines, to the offset
            of the pixel it is copied from. Factors of several distortions about one centre multiply.
        """
