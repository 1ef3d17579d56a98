"""Benchmark of efficiency: the share of a search's time that the two models alone would need."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from tools.benchmarks.benchmark_searches import Searched
from tools.benchmarks.result import Result

from quantrift.core.base.paths import Paths
from quantrift.core.pairs.given_pair import load_pair
from quantrift.core.search.engine import Engine, Step
from quantrift.study.planning.root import Config

ROUNDS = 8
"""Batches over which the models alone are timed, before and after the search."""


@dataclass(eq=False)
class Efficiency:
    """Time both models need for the evaluated candidates at batch 256, over the wall time of the whole search."""

    subject: Searched
    inputs: int = 160
    """Seed inputs searched."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files."""
        return self.subject.needs(config, paths)

    def measure(self) -> Result:
        """Search once, and time the models alone just before and after."""
        ready, todo = self.subject.ready(self.inputs)
        # Without the outputs that a coverage objective adds: those are a cost of the search.
        files = self.subject.files
        networks = load_pair(files.original, files.compressed, original_runtime=files.original_runtime)
        batch = np.resize(np.concatenate([one.inputs for one in todo]), (256, *todo[0].inputs.shape[1:]))

        def models_alone() -> float:
            begin = perf_counter()
            for _ in range(ROUNDS):
                networks(batch)
            return (perf_counter() - begin) / (ROUNDS * len(batch))

        before = models_alone()
        generated = valid = 0
        begin = perf_counter()
        for event in Engine(ready, memory_mb=self.subject.job.memory_mb).run(todo):
            if isinstance(event, Step):
                generated += len(event.candidates)
                valid += int(event.evaluated.tell.valid.sum())
        wall = perf_counter() - begin
        each = (before + models_alone()) / 2
        value = each * valid / wall
        return Result(
            value=value,
            unit="fraction",
            baseline="both models alone over the evaluated candidates, batch 256, one thread",
            ratio=1 / value,
            details={
                "searches": len(todo),
                "candidates": generated,
                "valid": valid,
                "wall_seconds": wall,
                "candidates_per_second": generated / wall,
                "evaluations_per_second": valid / wall,
                "models_alone_evaluations_per_second": 1 / each,
            },
        )
