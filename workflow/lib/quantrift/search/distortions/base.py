"""What a distortion is: a block of genes, and what they do to a patch."""

from dataclasses import dataclass
from math import ceil
from typing import Protocol

import numpy as np

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


def share(fraction: float, of: int) -> int:
    """ceil(fraction of ``of``), safe against binary fractions such as .07 * 100 = 7.000000000000001."""
    return ceil(round(fraction * of, 9))


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
    """float32 (n, H, W, B), distorted in place."""
    minimum: np.ndarray
    """float32 (k,): smallest value of the original patch."""
    maximum: np.ndarray
    """float32 (k,): largest value of the original patch."""


class Distortion(Protocol):
    """A module of ``quantrift.search.distortions``; every function is vectorised over candidates."""

    def genes(self, shape: Shape) -> list[Gene]:
        """The block's genes after its activation gene; an empty list where the shape has no room for it."""
        ...

    def sample(self, n: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
        """N random blocks, float32 (n, length)."""
        ...

    def apply(self, batch: Batch) -> None:
        """Distort the batch's patches in place."""
        ...


def bounds(genes: list[Gene]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower bounds, upper bounds (float32) and integer flags (bool) of a list of genes, each (length,)."""
    counts = [gene.count for gene in genes]
    return (
        np.repeat(np.array([gene.lower for gene in genes], np.float32), counts),
        np.repeat(np.array([gene.upper for gene in genes], np.float32), counts),
        np.repeat(np.array([gene.integer for gene in genes], bool), counts),
    )


def pairs(first: Gene, second: Gene, count: int) -> list[Gene]:
    """``count`` times the two genes in turn."""
    return [first, second] * count


def uniform(n: int, genes: list[Gene], rng: np.random.Generator) -> np.ndarray:
    """N blocks drawn uniformly between the bounds, integer genes among the integers; float32 (n, length)."""
    lower, upper, integer = bounds(genes)
    draws = rng.random((n, len(lower)))
    values = np.where(integer, lower + np.floor(draws * (upper - lower + 1)), lower + draws * (upper - lower))
    return np.clip(values, lower, upper).astype(np.float32)
