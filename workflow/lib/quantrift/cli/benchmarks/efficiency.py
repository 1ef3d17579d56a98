"""How much of a search's time the two models themselves would need."""

from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np

from quantrift.cli.benchmarks.result import Result
from quantrift.config.errors import QuantriftError
from quantrift.config.paths import Paths
from quantrift.config.plan import searches
from quantrift.config.root import Config
from quantrift.data.inputs import Inputs
from quantrift.records.job import Files, Job, problems
from quantrift.search.engine import Engine, Step
from quantrift.search.tool import build
from quantrift.subjects import seeds
from quantrift.subjects.pair import load_pair

INPUTS = 160
"""Seed inputs searched side by side."""
ROUNDS = 8
"""Batches over which the models alone are timed, before and after the search."""


@dataclass(eq=False)
class Efficiency:
    """Time both models need for the evaluated candidates at batch 256, over the wall time of the whole search."""

    model: str
    tool: str
    job: Job = field(init=False)
    files: Files = field(init=False)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The first subject of the model that the tool searches in this configuration."""
        found = [one for one in searches(config, list(config.experiments)) if one.tool == self.tool]
        found = [one for one in found if one.subject.model == self.model]
        if not found:
            raise QuantriftError(f"no experiment searches {self.model} with {self.tool}; add one to the configuration")
        subject, protocol = found[0].subject, found[0].protocol
        self.job = Job(
            subject={**vars(subject), "protocol": protocol},
            tool=self.tool,
            tool_settings=config.tools[self.tool].model_dump(mode="json"),
            generations=config.protocols[protocol].generations,
            vectors="first",
            batch=256,
            memory_mb=config.engine.memory_mb,
        )
        self.files = Files.of(paths, self.job.subject)
        return list(vars(self.files).values())

    def measure(self) -> Result:
        """Search once, and time the models alone just before and after."""
        inputs = Inputs.load(self.files.inputs)
        pair = load_pair(self.files.original, self.files.compressed)
        tool = build(self.job.tool, self.job.tool_settings, inputs.shape)
        with self.files.seeds.open() as file:
            run_seeds = range(1 + max(int(line.split(",")[0]) for line in file.readlines()[1:]))
        todo = problems(self.job, tool, inputs, seeds.read(self.files.seeds, run_seeds)[:INPUTS])
        batch = np.resize(np.stack([problem.input for problem in todo]), (256, *inputs.shape))

        def models_alone() -> float:
            begin = perf_counter()
            for _ in range(ROUNDS):
                pair.original(batch)
                pair.compressed(batch)
            return (perf_counter() - begin) / (ROUNDS * len(batch))

        before = models_alone()
        engine = Engine(tool, pair.original, pair.compressed, self.job.batch, self.job.memory_mb)
        generated = valid = 0
        begin = perf_counter()
        for event in engine.run(todo):
            if isinstance(event, Step):
                generated += len(event.candidates)
                valid += int(event.tell.valid.sum())
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
