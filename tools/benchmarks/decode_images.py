"""Benchmark of decoding images: time to turn vectors of natural changes into inputs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tools.benchmarks.decode import microseconds, only
from tools.benchmarks.result import Result

from quantrift.core.base.paths import Paths
from quantrift.core.search.evaluator import PORTION
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.image_distortions import ImageDistortions, Params, bind
from quantrift.study.planning.root import Config

CANDIDATES = 64
SEEDS = 7
"""Seed images they distort: a step of about as many searches of ten candidates each."""


@dataclass(eq=False)
class DecodeImages:
    """Milliseconds a candidate on random vectors, every switch on with probability one half; needs no files."""

    shape: tuple[int, int, int]
    limit: float
    """Milliseconds."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Nothing."""
        return []

    def measure(self) -> Result:
        """All distortions, each by coin; beside it the copy of the seed images, and each distortion in all of them."""
        rng = np.random.default_rng(0)
        levels = rng.integers(0, 256, (SEEDS, *self.shape))
        originals = Originals((levels / np.float32(255)).astype(np.float32))
        space = bind(Params(), Domain(self.shape, 0, 1))
        vectors = space.sample(CANDIDATES, rng)
        value = self._time(space, vectors, originals)
        details = {
            name or "copy": self._time(space, only(space, name, vectors), originals)
            for name in ("", *space.distortions)
        }
        return Result(value, "ms", f"limit of {self.limit:g} ms", value / self.limit, details)

    def _time(self, space: ImageDistortions, vectors: np.ndarray, originals: Originals) -> float:
        """Milliseconds a candidate, as many at once as an evaluator decodes."""
        return microseconds(space, vectors, originals, max(1, PORTION // originals.inputs[0].nbytes)) / 1e3
