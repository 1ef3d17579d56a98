"""Benchmarks of the speed of searches, beside the time that both models alone would need."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
from tools.benchmarks.benchmark import Cost, Result, cost
from tools.benchmarks.searched import Searched

from quantrift.core.base.paths import ORIGINAL, Paths
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import Networks, PairFiles
from quantrift.core.pairs.twins import BATCH, load_twins
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.stopping import Stop
from quantrift.study.planning.root import Config

SEARCHES = (BATCH, 12, 4, 1)
"""Numbers of searches side by side that follow gradients; as they end, a block has fewer and fewer."""
JUDGED = 12
CANDIDATES = 15
"""Evaluated by each search that follows gradients."""
LIMIT = 5.0
"""Milliseconds."""


@dataclass
class Pace:
    """Cost of some searches, and of both models alone just before and after them."""

    searches: Cost
    """Time of all searches."""
    models: float
    """Seconds of a processor of both models for one input of a batch of 256."""
    candidates: np.ndarray
    """Of each search, int64 (n,)."""
    valid: int
    """Candidates that were evaluated."""
    found: np.ndarray
    """Whether a search reached what ends it, bool (n,)."""


def alone(networks: Networks, batch: np.ndarray, rounds: int) -> float:
    """Seconds of a processor that both models need for an input of a batch."""
    return cost(partial(networks, batch), rounds).processor_seconds / len(batch)


class Timed(Searched):
    """Searches under the clock."""

    def pace(self, chosen: Sequence[tuple[int, int]], stop: Stop, rounds: int) -> Pace:
        """Search once from some (run seed, input); the models are timed over ``rounds`` batches."""
        ready, todo, batch = self.ready(chosen)
        # Without the outputs that a coverage objective adds: those are a cost of the search.
        files = self.files
        networks = given_pair.load(
            PairFiles(original=files.original, compressed=files.compressed, original_runtime=files.original_runtime)
        )
        before = alone(networks, batch, rounds)
        spent = Pace(Cost(), 0.0, np.zeros(len(todo), np.int64), 0, np.zeros(len(todo), bool))
        with spent.searches:
            for event in Engine(ready, stop, self.job.memory_mb).run(todo):
                if isinstance(event, Step):
                    spent.candidates[event.number] += len(event.candidates)
                    spent.valid += int(event.evaluated.tell.valid.sum())
                    spent.found[event.number] |= bool(event.reached.any())
        spent.models = (before + alone(networks, batch, rounds)) / 2
        return spent


@dataclass(eq=False)
class Efficiency(Timed):
    """Seconds that both models need for the evaluated candidates at batch 256, over those of the whole search."""

    inputs: int = 160
    """Seed inputs searched."""

    def measure(self) -> Result:
        """Search once."""
        found = self.pace(self.drawn()[: self.inputs], Stop(), rounds=8)
        seconds = found.searches.processor_seconds
        value = found.models * found.valid / seconds
        generated = int(found.candidates.sum())
        return Result(
            value=value,
            unit="fraction",
            baseline="both models alone over the evaluated candidates, batch 256, one thread",
            ratio=1 / value,
            details={
                "searches": len(found.candidates),
                "candidates": generated,
                "valid": found.valid,
                "seconds": found.searches.seconds,
                "processor_seconds": seconds,
                "overhead_us": 1e6 * (seconds - found.models * found.valid) / generated,
                "candidates_per_second": generated / seconds,
                "evaluations_per_second": found.valid / seconds,
                "models_alone_evaluations_per_second": 1 / found.models,
            },
        )


@dataclass(eq=False)
class Queries(Timed):
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
        found = self.pace(list(first)[: self.inputs], Stop(first_attack=True), rounds=40)
        queries = int(found.candidates.sum())
        ended = found.candidates[found.found]
        each = found.searches.processor_seconds / queries
        return Result(
            value=1e3 * each,
            unit="ms a query",
            baseline="the authors' tool, 7.7 ms a query on two cores",
            ratio=7.7 / (1e3 * each),
            details={
                "searches": len(found.candidates),
                "success": float(found.found.mean()),
                "queries": queries,
                "median_queries": float(np.median(ended)) if len(ended) else np.nan,
                "mean_queries": float(ended.mean()) if len(ended) else np.nan,
                "seconds": found.searches.seconds,
                "processor_seconds": found.searches.processor_seconds,
                "models_alone_ms": 1e3 * found.models,
                "efficiency": found.models / each,
            },
        )


class Gradients(Searched):
    """Milliseconds a candidate of DeepXplore, both models and the gradients of their twins together."""

    def measure(self) -> Result:
        """A block of each size, after one that is not timed; beside it, the models alone."""
        ready, todo, _ = self.ready(self.drawn()[:BATCH])
        # Where there are fewer seed inputs, some are searched twice.
        todo = [replace(todo[number % len(todo)], evaluations=CANDIDATES) for number in range(BATCH)]
        ready.twins = load_twins(self.files.original.with_name(ORIGINAL), self.files.compressed)
        details: dict[str, float] = {}
        for searches in SEARCHES:
            self._block(ready, todo[:searches])
            details[f"searches_{searches}_ms"] = self._block(ready, todo[:searches])
            batch = np.concatenate([one.inputs for one in todo[:searches]])
            details[f"models_alone_{searches}_ms"] = 1e3 * alone(ready.networks, batch, CANDIDATES)
        value = details[f"searches_{JUDGED}_ms"]
        return Result(value, "ms a candidate", f"limit of {LIMIT:g} ms", value / LIMIT, details)

    def _block(self, ready: Evaluator, todo: Sequence[Problem]) -> float:
        with Cost() as spent:
            steps = [one for one in Engine(ready, memory_mb=self.job.memory_mb).run(todo) if isinstance(one, Step)]
        return 1e3 * spent.processor_seconds / len(steps)
