"""Benchmark of decoding: time to turn vectors of natural changes into images."""

from dataclasses import dataclass
from statistics import median

import numpy as np
from tools.benchmarks.benchmark import Benchmark, Result, cost

from quantrift.core.search.evaluator import PORTION
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.image_distortions import ImageDistortions, Params, bind

CANDIDATES = 64
SEEDS = 7
"""Seed images they distort: a step of about as many searches of ten candidates each."""


@dataclass(eq=False)
class DecodeImages(Benchmark):
    """Milliseconds a candidate on random vectors, every switch on with probability one half; needs no files."""

    shape: tuple[int, int, int]
    limit: float
    """Milliseconds."""

    def measure(self) -> Result:
        """All distortions, each by coin; beside it the copy of the seed images, and each distortion in all of them."""
        rng = np.random.default_rng(0)
        originals = Originals((rng.integers(0, 256, (SEEDS, *self.shape)) / np.float32(255)).astype(np.float32))
        space = bind(Params(), Domain(self.shape, 0, 1))
        vectors = space.sample(CANDIDATES, rng)
        value = self._time(space, vectors, originals)
        details = {}
        for name in ("", *space.distortions):
            only = vectors.copy()
            for block in space.blocks:
                only[:, block.activation] = block.name == name
            details[name or "copy"] = self._time(space, only, originals)
        return Result(value, "ms", f"limit of {self.limit:g} ms", value / self.limit, details)

    def _time(self, space: ImageDistortions, vectors: np.ndarray, originals: Originals) -> float:
        """Milliseconds a candidate, as many at once as an evaluator decodes, seed inputs taken in turn."""
        rows = np.arange(CANDIDATES) % SEEDS
        together = max(1, PORTION // originals.inputs[0].nbytes)

        def decode() -> None:
            for start in range(0, CANDIDATES, together):
                part = slice(start, start + together)
                space.decode(vectors[part], originals, rows[part])

        # The median of ten calls counts.
        return 1e3 * median(cost(decode).processor_seconds for _ in range(10)) / CANDIDATES
