"""Benchmarks of the speed of searches, beside the time that both models alone would need."""

from dataclasses import dataclass
from functools import partial

from tools.benchmarks.benchmark import Cost, Result, cost
from tools.benchmarks.searched import Searched

from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import PairFiles
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.stopping import Stop

ROUNDS = 8
"""Batches over which the models alone are timed, before the searches and after them."""


@dataclass(eq=False)
class Efficiency(Searched):
    """Seconds that both models need for the evaluated candidates at batch 256, over those of the whole search."""

    inputs: int = 160
    """Seed inputs searched."""

    def measure(self) -> Result:
        """Search once."""
        ready, todo, batch = self.ready(self.drawn()[: self.inputs])
        # Without the outputs that a coverage objective adds: those are a cost of the search.
        networks = given_pair.load(
            PairFiles(
                original=self.files.original,
                compressed=self.files.compressed,
                original_runtime=self.files.original_runtime,
            )
        )
        alone = partial(cost, partial(networks, batch), ROUNDS)
        before = alone().processor_seconds
        generated = valid = 0
        with Cost() as spent:
            for event in Engine(ready, Stop(), self.job.memory_mb).run(todo):
                if isinstance(event, Step):
                    generated += len(event.candidates)
                    valid += int(event.evaluated.tell.valid.sum())
        each = (before + alone().processor_seconds) / 2 / len(batch)
        value = each * valid / (seconds := spent.processor_seconds)
        return Result(
            value=value,
            unit="fraction",
            baseline="both models alone over the evaluated candidates, batch 256, one thread",
            ratio=1 / value,
            details={
                "searches": len(todo),
                "candidates": generated,
                "valid": valid,
                "seconds": spent.seconds,
                "processor_seconds": seconds,
                "overhead_us": 1e6 * (seconds - each * valid) / generated,
                "candidates_per_second": generated / seconds,
                "evaluations_per_second": valid / seconds,
                "models_alone_evaluations_per_second": 1 / each,
            },
        )
