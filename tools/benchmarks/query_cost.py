"""Benchmark of a query: its cost in searches of one candidate a step, each up to its first disagreement."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from time import perf_counter

import numpy as np
from tools.benchmarks.benchmark_searches import Searched
from tools.benchmarks.result import Result

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.pairs.given_pair import load_pair
from quantrift.core.pairs.pair import Networks
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.run import Problems, evaluator
from quantrift.core.search.stopping import Stop
from quantrift.study.planning.root import Config

AUTHORS = 7.7
"""Milliseconds of a query in the authors' tool, on both cores of a machine with two."""
ROUNDS = 40
"""Batches of 256 over which the models alone are timed, before and after the searches."""


@dataclass(eq=False)
class Queries:
    """Wall time of searches over all their queries."""

    published: Searched
    subject: Searched
    """Replaces ``published`` at scales without published files."""
    inputs: int = 500
    """Largest number of seed inputs, taken from the first run seed of the subject's protocol."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files."""
        if self.published.model in config.models.files:
            self.subject = self.published
        return self.subject.needs(config, paths)

    def measure(self) -> Result:
        """Search once, and time the models alone just before and after."""
        job, files = self.subject.job, self.subject.files
        inputs = Inputs.load(files.inputs)
        ready = evaluator(files, job.tool, job.tool_settings, inputs, job.rows)
        _, first = next(groupby(self.subject.drawn(), lambda one: one[0]))
        todo = Problems(job, ready.tool, inputs, list(first)[: self.inputs])
        networks = load_pair(files.original, files.compressed, original_runtime=files.original_runtime)
        batch = np.resize(np.concatenate([one.inputs for one in todo]), (256, *todo[0].inputs.shape[1:]))
        before = alone(networks, batch)
        spent, found = np.zeros(len(todo), np.int64), np.zeros(len(todo), bool)
        begin = perf_counter()
        for event in Engine(ready, Stop(first_attack=True), job.memory_mb).run(todo):
            if isinstance(event, Step):
                spent[event.number] += len(event.candidates)
                found[event.number] |= bool(event.reached.any())
        wall = perf_counter() - begin
        models = (before + alone(networks, batch)) / 2
        each = wall / int(spent.sum())
        return Result(
            value=1e3 * each,
            unit="ms a query",
            baseline="the authors' tool, 7.7 ms a query on two cores",
            ratio=AUTHORS / (1e3 * each),
            details={
                "searches": len(todo),
                "success": float(found.mean()),
                "queries": int(spent.sum()),
                "median_queries": float(np.median(spent[found])) if found.any() else np.nan,
                "mean_queries": float(spent[found].mean()) if found.any() else np.nan,
                "wall_seconds": wall,
                "models_alone_ms": 1e3 * models,
                "efficiency": models / each,
            },
        )


def alone(networks: Networks, batch: np.ndarray) -> float:
    """Seconds that both models need for an input of a batch."""
    begin = perf_counter()
    for _ in range(ROUNDS):
        networks(batch)
    return (perf_counter() - begin) / (ROUNDS * len(batch))
