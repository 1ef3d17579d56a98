"""Benchmark of gradients: the cost of a candidate of DeepXplore, by the number of searches that still run."""

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from tools.benchmarks.benchmark_searches import Searched
from tools.benchmarks.result import Result

from quantrift.core.base.paths import ORIGINAL, Paths
from quantrift.core.pairs.twins import BATCH, load_twins
from quantrift.core.search.engine import Engine, Step
from quantrift.study.planning.root import Config

SEARCHES = (BATCH, 12, 4, 1)
"""Numbers of searches side by side; as they end, a block has fewer and fewer."""
JUDGED = 12
CANDIDATES = 15
"""Evaluated by each search."""
LIMIT = 5.0
"""Milliseconds."""


@dataclass(eq=False)
class Gradients:
    """Milliseconds a candidate, both models and the gradients of their twins together."""

    searched: Searched

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files."""
        return self.searched.needs(config, paths)

    def measure(self) -> Result:
        """A block of each size, after one that is not timed; beside it, the models alone."""
        files = self.searched.files
        ready, todo = self.searched.ready(BATCH)
        # Where there are fewer seed inputs, some are searched twice.
        todo = [replace(todo[number % len(todo)], evaluations=CANDIDATES) for number in range(BATCH)]
        ready.twins = load_twins(files.original.with_name(ORIGINAL), files.compressed)
        details: dict[str, float] = {}
        for searches in SEARCHES:
            engine = Engine(ready, memory_mb=self.searched.job.memory_mb)
            for _ in range(2):
                begin = perf_counter()
                steps = [event for event in engine.run(todo[:searches]) if isinstance(event, Step)]
                details[f"searches_{searches}_ms"] = 1e3 * (perf_counter() - begin) / len(steps)
            batch = np.concatenate([one.inputs for one in todo[:searches]])
            begin = perf_counter()
            for _ in range(CANDIDATES):
                ready.networks(batch)
            details[f"models_alone_{searches}_ms"] = 1e3 * (perf_counter() - begin) / (CANDIDATES * searches)
        value = details[f"searches_{JUDGED}_ms"]
        return Result(value, "ms a candidate", f"limit of {LIMIT:g} ms", value / LIMIT, details)
