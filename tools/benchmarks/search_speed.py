"""Benchmark of the speed of searches, beside the time that both models alone would need."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from time import perf_counter

import numpy as np
from tools.benchmarks.benchmark import Result
from tools.benchmarks.searched import Searched

from quantrift.core.base.paths import Paths
from quantrift.core.pairs.given_pair import load_pair
from quantrift.core.pairs.pair import Networks
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.stopping import Stop
from quantrift.study.planning.root import Config

ROUNDS = 40
"""Batches over which both models are timed."""


def alone(networks: Networks, batch: np.ndarray) -> float:
    """Seconds that both models need for an input of a batch."""
    begin = perf_counter()
    for _ in range(ROUNDS):
        networks(batch)
    return (perf_counter() - begin) / (ROUNDS * len(batch))


@dataclass(eq=False)
class Queries(Searched):
    """Milliseconds of a query in searches of one candidate a step, each up to its first disagreement."""

    published: str = ""
    """Network that replaces ``model`` at scales with published files."""
    inputs: int = 500
    """Largest number of seed inputs, taken from the first run seed of the subject's protocol."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files."""
        if self.published in config.models.files:
            self.model = self.published
        return super().needs(config, paths)

    def measure(self) -> Result:
        """Search once."""
        _, first = next(groupby(self.drawn(), lambda one: one[0]))
        ready, todo, batch = self.ready(list(first)[: self.inputs])
        # Without the outputs that a coverage objective adds: those are a cost of the search.
        files = self.files
        networks = load_pair(files.original, files.compressed, original_runtime=files.original_runtime)
        before = alone(networks, batch)
        candidates, found = np.zeros(len(todo), np.int64), np.zeros(len(todo), bool)
        begin = perf_counter()
        for event in Engine(ready, Stop(first_attack=True), self.job.memory_mb).run(todo):
            if isinstance(event, Step):
                candidates[event.number] += len(event.candidates)
                found[event.number] |= bool(event.reached.any())
        wall = perf_counter() - begin
        models = (before + alone(networks, batch)) / 2
        queries = int(candidates.sum())
        ended = candidates[found]
        each = wall / queries
        return Result(
            value=1e3 * each,
            unit="ms a query",
            baseline="the authors' tool, 7.7 ms a query on two cores",
            ratio=7.7 / (1e3 * each),
            details={
                "searches": len(candidates),
                "success": float(found.mean()),
                "queries": queries,
                "median_queries": float(np.median(ended)) if len(ended) else np.nan,
                "mean_queries": float(ended.mean()) if len(ended) else np.nan,
                "wall_seconds": wall,
                "models_alone_ms": 1e3 * models,
                "efficiency": models / each,
            },
        )
