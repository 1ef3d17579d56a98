"""Benchmark of decoding: time to turn transformation vectors into inputs."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Literal

import numpy as np
from tools.benchmarks.result import Result

from quantrift.core.base.inputs import ScenePatches
from quantrift.core.base.paths import Paths
from quantrift.core.search.distortions.compound import Compound
from quantrift.core.search.space import Domain, Originals, Scene, Space
from quantrift.core.search.spaces.hsi_distortions import HsiDistortions, Params, bind
from quantrift.study.planning.root import Config

CANDIDATES = 256
"""Decoded at once, as in a search."""
SEEDS = 26
"""Seed inputs they distort: a step of about as many searches of ten candidates each."""
SCENE = (512, 217)
"""Lines and columns of the scene: those of Salinas."""
ROUNDS = 10
"""Calls of a repeat, whose median counts."""


def microseconds(space: Space, vectors: np.ndarray, originals: Originals, together: int) -> float:
    """Microseconds a candidate to decode vectors (n, genes), ``together`` at once, seed inputs taken in turn."""
    rows = np.arange(len(vectors)) % len(originals.inputs)
    seconds = []
    for _ in range(ROUNDS):
        begin = perf_counter()
        for start in range(0, len(vectors), together):
            part = slice(start, start + together)
            space.decode(vectors[part], originals, rows[part])
        seconds.append(perf_counter() - begin)
    return median(seconds) / len(vectors) * 1e6


def only(space: Compound, name: str, vectors: np.ndarray) -> np.ndarray:
    """Copies of vectors (n, genes) with the distortion of this name switched on in all of them, and all others off."""
    changed = vectors.copy()
    for block in space.blocks:
        changed[:, block.activation] = block.name == name
    return changed


@dataclass(eq=False)
class Decode:
    """Microseconds a candidate on random vectors, every switch on with probability one half; needs no files."""

    shape: tuple[int, int, int]
    limit: float
    """Microseconds."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Nothing."""
        return []

    def measure(self) -> Result:
        """The authors' vector; beside it the paper's, the copy of the seed inputs, and each block in all candidates."""
        code, paper = self._space("code"), self._space("paper")
        value, vectors = self._time(code, self._vectors(code)), self._vectors(paper)
        details = {"paper": self._time(paper, vectors)}
        details |= {name or "copy": self._time(paper, only(paper, name, vectors)) for name in ("", *paper.distortions)}
        return Result(value, "us", f"limit of {self.limit:g} us", value / self.limit, details)

    def _space(self, variant: Literal["paper", "code"]) -> HsiDistortions:
        return bind(Params(variant=variant), Domain(self.shape, -1, 1))

    def _vectors(self, space: HsiDistortions) -> np.ndarray:
        return space.sample(CANDIDATES, np.random.default_rng(0))

    def _time(self, space: HsiDistortions, vectors: np.ndarray) -> float:
        return microseconds(space, vectors, self._originals, CANDIDATES)

    @cached_property
    def _originals(self) -> Originals:
        """Patches from all over a scene of noise; their values do not matter, and where they lie matters little."""
        rng = np.random.default_rng(0)
        none = np.empty(0, np.int64)
        positions = np.argwhere(np.ones(SCENE, bool))
        scene = ScenePatches(
            dataset="noise",
            title="Noise",
            class_names=["noise"],
            labels=np.zeros(len(positions), np.int64),
            train=none,
            validation=none,
            test=none,
            scene=rng.standard_normal((*SCENE, self.shape[2]), dtype=np.float32),
            positions=positions,
            patch=self.shape[0],
        )
        indices = rng.choice(len(positions), SEEDS, replace=False)
        return Originals(scene.take(indices), Scene.of(scene).at(indices))
