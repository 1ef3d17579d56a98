"""Compound distortions as vectors: a block of genes for each, an activation gene followed by its parameters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quantrift.core.search.distortions.folders import Folder, load
from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting


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
class Block:
    """Where a distortion's genes stand in the vector."""

    name: str
    distortion: Distortion
    activation: int
    """Place of the activation gene; the parameters follow."""
    length: int
    """Number of genes, the activation gene included."""

    @property
    def genes(self) -> slice:
        """The parameters."""
        return slice(self.activation + 1, self.activation + self.length)


class Compound:
    """The vectors of distortions that are switched on and off together: a space without its decoding."""

    def __init__(self, folder: Folder, settings: Mapping[str, Setting], shared: Sequence[Gene] = ()) -> None:
        """Takes the distortions of a folder with their settings, in order, and the genes before all blocks."""
        self.blocks: list[Block] = []
        whole = [*shared]
        for name, setting in settings.items():
            distortion: Distortion = load(folder, name).bind(setting)
            if own := distortion.genes:
                self.blocks.append(Block(name, distortion, len(whole), 1 + len(own)))
                whole += [ON_OFF, *own]
        self.lower = np.array([gene.lower for gene in whole], np.float32)
        self.upper = np.array([gene.upper for gene in whole], np.float32)
        self.integer = np.array([gene.integer for gene in whole], bool)
        self.shape: tuple[int, ...] = self.lower.shape
        self.distortions = tuple(block.name for block in self.blocks)
        self._real = np.flatnonzero(~self.integer)

    def active(self, candidates: np.ndarray) -> np.ndarray:
        """Which blocks are switched on; see :class:`quantrift.core.search.space.Space`."""
        on = np.rint(candidates[:, [block.activation for block in self.blocks]]) == 1
        return (on << np.arange(len(self.blocks))).sum(axis=1).astype(np.uint32)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N random vectors, float32 (n, length): switches by coin, parameters as each distortion draws them."""
        # An integer gene is the floor of a number between its lower bound and one above its upper bound.
        width = self.upper.astype(np.float64) - self.lower + self.integer
        drawn = self.lower + rng.random((n, *self.shape)) * width
        np.floor(drawn, out=drawn, where=self.integer)
        vectors = np.minimum(drawn, self.upper, out=drawn).astype(np.float32)
        for block in self.blocks:
            block.distortion.redraw(vectors[:, block.genes], rng)
        return vectors

    def rounded(self, candidates: np.ndarray) -> np.ndarray:
        """Candidates (n, length) with integer genes rounded: a new array."""
        vectors = np.rint(candidates)
        vectors[:, self._real] = candidates[:, self._real]
        return vectors

    def at_work(self, vectors: np.ndarray, kind: type[Distortion]) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """The distortions of a kind that any vector has switched on, in order.

        Args:
            vectors: (n, length), rounded.
            kind: a class of distortions.

        Yields:
            The distortion, the vectors that have it on, int (k,), and its parameters in these, (k, parameters).
        """
        for block in self.blocks:
            if isinstance(block.distortion, kind):
                [on] = np.nonzero(vectors[:, block.activation] == 1)
                if len(on):
                    yield block.distortion, on, vectors[on, block.genes]
