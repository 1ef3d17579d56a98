"""The space of compound hyperspectral distortions (DiverGet §4.3, Table 1, Fig. 2).

A candidate is one flat vector: the mode gene (lines or columns), then a block for each distortion, an activation
gene followed by its parameters. Rotation and zoom resample the patch's surroundings first, so that no empty corners
appear; then the other blocks apply in the order of Table 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Literal, cast

import numpy as np
from annotated_types import Gt, Le

from quantrift.search.distortions import base, centre
from quantrift.search.distortions.base import ON_OFF, Batch, Distortion, Gene, Geometric, Radiometric, Setting, Shape
from quantrift.search.space import Domain, Originals
from quantrift.search.surroundings import Border, Bordered

FOLDER = "quantrift.search.distortions"
ORDER = (
    "continuous_dropout",
    "discontinuous_dropout",
    "stripping",
    "region_dropout",
    "discontinuous_region_dropout",
    "spectral_band_loss",
    "salt_and_pepper",
    "spatial_gaussian",
    "spectral_gaussian",
    "rotation",
    "zoom",
)
"""Order of the blocks in the vector, and of the application of all but the last two (Table 1)."""
OF_THE_CODE = tuple(name for name in ORDER if name != "discontinuous_region_dropout")
"""The distortions that the authors' code has."""

RESAMPLED = 64
"""Patches resampled at once: few enough to stay in the processor's caches, and in memory that is used again, on the
way to their places."""


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    variant: Literal["paper", "code"] = "paper"
    """``paper``: all of Table 1, noise between -1 and 1. ``code``: the authors' earlier tool, whose regions drop out
    without gaps and whose noise is never negative."""
    distortions: tuple[str, ...] | None = None
    """Distortions that may be active, in the order of Table 1 whatever order they are given in; all of the variant
    by default."""
    strengths: Mapping[str, Annotated[float, Gt(0), Le(1)]] = field(default_factory=dict)
    """Share of a distortion's full range, 1 for those that are not named. Ranges are narrowed until distorted inputs
    are meaningful (DiverGet §4.3 (ii))."""
    border: Border = "reflect"
    """How images without a scene around them go on beyond their borders, which rotation and zoom look at (chosen)."""

    def __post_init__(self) -> None:
        known = ORDER if self.variant == "paper" else OF_THE_CODE
        named = known if self.distortions is None else tuple(self.distortions)
        unknown = [name for name in named if name not in known]
        if unknown or not named:
            raise ValueError(f"distortions must be some of {', '.join(known)}, got {', '.join(unknown) or 'none'}")
        object.__setattr__(self, "distortions", tuple(name for name in known if name in named))
        if unknown := [name for name in self.strengths if name not in ORDER]:
            raise ValueError(f"strengths must be of {', '.join(ORDER)}, got {', '.join(unknown)}")


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
        self.border = params.border
        self.blocks: list[Block] = []
        genes: list[Gene] = [ON_OFF]
        for name in params.distortions or ():
            setting = Setting(patch, params.strengths.get(name, 1), params.variant)
            distortion = cast(Distortion, import_module(f"{FOLDER}.{name}").bind(setting))
            if own := distortion.genes:
                length = 1 + sum(gene.count for gene in own)
                self.blocks.append(Block(name, distortion, sum(gene.count for gene in genes), length))
                genes += [ON_OFF, *own]
        self.lower, self.upper, self.integer = base.bounds(genes)
        self.shape: tuple[int, ...] = self.lower.shape
        self.distortions = tuple(block.name for block in self.blocks)
        self._real = np.flatnonzero(~self.integer)

    def active(self, candidates: np.ndarray) -> np.ndarray:
        """Which blocks are switched on; see :class:`quantrift.search.space.Space`."""
        return base.switched_on(candidates, [block.activation for block in self.blocks])

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N random vectors, float32 (n, length): switches by coin, parameters as each distortion draws them."""
        vectors = base.uniform((self.lower, self.upper), self.integer, n, rng)
        for block in self.blocks:
            block.distortion.redraw(vectors[:, block.genes], rng)
        return vectors

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.search.space.Space`."""
        vectors = np.rint(candidates)
        vectors[:, self._real] = candidates[:, self._real]
        patches = self._resampled(vectors, originals, rows)
        lines = vectors[:, 0] == 1
        for block in self.blocks:
            if isinstance(block.distortion, Radiometric) and len(active := _active(vectors, block)):
                block.distortion.apply(
                    Batch(
                        genes=vectors[active, block.genes],
                        rows=active,
                        lines=lines[active],
                        patches=patches,
                        originals=originals,
                        source=rows[active],
                    )
                )
        return patches

    def _resampled(self, vectors: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """The seed inputs of candidates, rotated and zoomed: float32 (n, H, W, B), a copy."""
        turn = np.ones(len(vectors), np.complex128)
        for block in self.blocks:
            if isinstance(block.distortion, Geometric) and len(active := _active(vectors, block)):
                turn[active] *= block.distortion.turn(vectors[active, block.genes])
        patches = originals.inputs[rows]
        [turned] = np.nonzero(turn != 1)
        around = Bordered(originals.inputs, self.border) if originals.around is None else originals.around
        for start in range(0, len(turned), RESAMPLED):
            now = turned[start : start + RESAMPLED]
            patches[now] = around.pixels(rows[now], *centre.places(turn[now], self.patch))
        return patches


def _active(vectors: np.ndarray, block: Block) -> np.ndarray:
    """Rows of the vectors in which a block is switched on."""
    return np.flatnonzero(vectors[:, block.activation] == 1)


def modules(params: Params) -> list[str]:
    """Modules that the space loads by name; a change of one reruns the searches in this space."""
    return [f"{FOLDER}.{name}" for name in params.distortions or ()]


def bind(params: Params, domain: Domain) -> HsiDistortions:
    """The space for patches of a dataset."""
    return HsiDistortions(params, domain.shape)
