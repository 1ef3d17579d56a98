"""The space of compound hyperspectral distortions (DiverGet §4.3, Table 1, Fig. 2).

A candidate is one flat vector: the mode gene (lines or columns), then a block for each distortion, an activation
gene followed by its parameters. Rotation and zoom resample the patch's surroundings first, so that no empty corners
appear; then the other blocks apply in the order of Table 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt, Le

from quantrift.core.search.distortions import compound
from quantrift.core.search.distortions.compound import Compound, chosen, in_order, load
from quantrift.core.search.distortions.genes import ON_OFF, Setting
from quantrift.core.search.distortions.patch_distortion import Batch, Geometric, Radiometric, turned_places
from quantrift.core.search.space import Border, Bordered, Domain, Originals

VARIANTS = ("paper", "code")
"""Variants that have a distortion which names none."""
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
        every = in_order("hsi")
        own = tuple(name for name in every if self.variant in getattr(load("hsi", name), "VARIANTS", VARIANTS))
        asked = own if self.distortions is None else self.distortions
        object.__setattr__(self, "distortions", chosen(every if self.variant == "paper" else own, asked))
        if unknown := [name for name in self.strengths if name not in every]:
            raise ValueError(f"strengths must be of {', '.join(every)}, got {', '.join(unknown)}")


class HsiDistortions(Compound):
    """The vectors that distort patches of one shape."""

    def __init__(self, params: Params, domain: Domain) -> None:
        self._patch, self._border = domain.shape, params.border
        super().__init__("hsi", params, partial(Setting, domain.shape, variant=params.variant), shared=[ON_OFF])

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.core.search.space.Space`."""
        vectors = self.rounded(candidates)
        patches = self._resampled(vectors, originals, rows)
        for distortion, on, genes in self.at_work(vectors, Radiometric):
            distortion.apply(Batch(genes, on, vectors[on, 0] == 1, patches, originals, rows[on]))
        return patches

    def _resampled(self, vectors: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """The seed inputs of candidates, rotated and zoomed: float32 (n, H, W, B), a copy."""
        turn = np.ones(len(vectors), np.complex128)
        for distortion, on, genes in self.at_work(vectors, Geometric):
            turn[on] *= distortion.apply(genes)
        patches = originals.inputs[rows]
        turned = np.flatnonzero(turn != 1)
        around = originals.around or Bordered(originals.inputs, self._border)
        for start in range(0, len(turned), RESAMPLED):
            now = turned[start : start + RESAMPLED]
            patches[now] = around.pixels(rows[now], *turned_places(turn[now], self._patch))
        return patches


modules = partial(compound.modules, "hsi")
bind = HsiDistortions
