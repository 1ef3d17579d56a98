"""Benchmarks of the speed of searches, beside the time that both models alone would need."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from tools.benchmarks.benchmark import Benchmark, Cost, Result, cost

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.pairs import given_pair, seed_inputs
from quantrift.core.pairs.pair import PairFiles
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, Problems, evaluator
from quantrift.core.search.stopping import Stop
from quantrift.study.planning import job_resources
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import searches

ROUNDS = 8
"""Batches over which the models alone are timed, before the searches and after them."""


@dataclass(eq=False)
class Efficiency(Benchmark):
    """Seconds that both models need for the evaluated candidates at batch 256, over those of the whole search.

    The subject is the first of a model that an experiment of the configuration names.
    """

    model: str
    tool: str
    compression: str | None = None
    """Compression of the subject; that of the first one by default."""
    inputs: int = 160
    """Seed inputs searched."""
    job: Job = field(init=False)
    files: Files = field(init=False)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Files that the workflow has to make.

        Raises:
            QuantriftError: if no experiment searches the model.
        """
        found = [
            one
            for one in searches(config, list(config.experiments))
            if one.model == self.model and self.compression in (None, one.compression)
        ]
        if not found:
            name = " as ".join(filter(None, [self.model, self.compression]))
            raise QuantriftError(f"no experiment searches {name}; add one to the configuration")
        subject, protocol = found[0].subject, found[0].protocol
        tool = config.tools[self.tool].model_dump(mode="json")
        self.job = Job(
            subject={**subject._asdict(), "protocol": protocol},
            tool=self.tool,
            tool_settings=tool,
            budget=Budget(config.protocols[protocol].generations, config.protocols[protocol].evaluations),
            vectors="first",
            rows=job_resources.BATCH,
            memory_mb=job_resources.BATCH_MB,
        )
        self.files = files_in(paths, self.job.subject, tool, config.original_runtime(subject.compression))
        return list(self.files.present.values())

    def measure(self) -> Result:
        """Search once."""
        with self.files.seeds.open() as file:
            whole = Block(range(1 + max(int(line.split(",")[0]) for line in file.readlines()[1:])))
        inputs = Inputs.load(self.files.inputs)
        ready = evaluator(self.files, self.tool, self.job.tool_settings, inputs, self.job.rows)
        todo = Problems(self.job, ready.tool, inputs, seed_inputs.read(self.files.seeds, whole)[: self.inputs])
        batch = np.resize(np.concatenate([one.inputs for one in todo]), (256, *todo[0].inputs.shape[1:]))
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
