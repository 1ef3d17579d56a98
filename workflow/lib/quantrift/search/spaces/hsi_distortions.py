"""The space of compound hyperspectral distortions (DiverGet §4.3, Table 1, Fig. 2).

A candidate is one flat vector: the mode gene (lines or columns), then a block for each distortion, an activation
gene followed by its parameters. The blocks apply in the order of Table 1.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import cast

import numpy as np

from quantrift.search.distortions import base
from quantrift.search.distortions.base import ON_OFF, Batch, Distortion, Gene, Shape
from quantrift.search.space import Originals

FOLDER = "quantrift.search.distortions"
ORDER = ("continuous_dropout", "spectral_band_loss", "salt_and_pepper", "spatial_gaussian", "spectral_gaussian")
"""Order of the blocks in the vector, and of their application (Table 1)."""


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    distortions: tuple[str, ...] = ORDER
    """Distortions that may be active; always applied in the order of Table 1."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.distortions if name not in ORDER]
        if unknown or not self.distortions:
            raise ValueError(f"distortions must be some of {', '.join(ORDER)}, got {', '.join(unknown) or 'none'}")


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


class HsiDistortions:
    """The vectors that distort patches of one shape."""

    def __init__(self, params: Params, patch: Shape) -> None:
        self.patch = patch
        self.blocks: list[Block] = []
        genes: list[Gene] = [ON_OFF]
        for name in (name for name in ORDER if name in params.distortions):
            distortion = cast(Distortion, import_module(f"{FOLDER}.{name}"))
            if own := distortion.genes(patch):
                length = 1 + sum(gene.count for gene in own)
                self.blocks.append(Block(name, distortion, sum(gene.count for gene in genes), length))
                genes += [ON_OFF, *own]
        self.lower, self.upper, self.integer = base.bounds(genes)
        self.shape: tuple[int, ...] = self.lower.shape

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N random vectors, float32 (n, length): switches by coin, parameters as each distortion draws them."""
        vectors = np.empty((n, *self.shape), np.float32)
        vectors[:, 0] = rng.integers(0, 2, n)
        for block in self.blocks:
            vectors[:, block.activation] = rng.integers(0, 2, n)
            vectors[:, block.genes] = block.distortion.sample(n, self.patch, rng)
        return vectors

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.search.space.Space`."""
        vectors = np.where(self.integer, np.rint(candidates), candidates)
        patches = originals.inputs[rows]
        lines = vectors[:, 0] == 1
        for block in self.blocks:
            [active] = np.nonzero(vectors[:, block.activation] == 1)
            if len(active):
                source = rows[active]
                block.distortion.apply(
                    Batch(
                        genes=vectors[active, block.genes],
                        rows=active,
                        lines=lines[active],
                        patches=patches,
                        minimum=originals.minimum[source],
                        maximum=originals.maximum[source],
                    )
                )
        return patches


def modules(params: Params) -> list[str]:
    """Modules that the space loads by name; a change of one reruns the searches in this space."""
    return [f"{FOLDER}.{name}" for name in params.distortions]


def bind(params: Params, patch: Shape) -> HsiDistortions:
    """The space for patches of shape (H, W, B)."""
    return HsiDistortions(params, patch)
