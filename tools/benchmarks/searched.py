"""Searches for benchmarks: a tool on the real networks of a configuration, in this process or in one of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tools.benchmarks.benchmark import Benchmark

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.pairs import seed_inputs
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, Problems, evaluator
from quantrift.study.planning import job_resources
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import searches


@dataclass(eq=False)
class Searched(Benchmark):
    """The first subject of a model that an experiment of the configuration names, searched by one tool."""

    model: str
    tool: str
    compression: str | None = None
    """Compression of the subject; that of the first one by default."""
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

    def ready(self, chosen: Sequence[tuple[int, int]]) -> tuple[Evaluator, Sequence[Problem], np.ndarray]:
        """The tool on the subject's networks, searches of some (run seed, input), and 256 of their seed inputs."""
        inputs = Inputs.load(self.files.inputs)
        ready = evaluator(self.files, self.tool, self.job.tool_settings, inputs, self.job.rows)
        todo = Problems(self.job, ready.tool, inputs, chosen)
        batch = np.resize(np.concatenate([one.inputs for one in todo]), (256, *todo[0].inputs.shape[1:]))
        return ready, todo, batch

    def drawn(self) -> list[tuple[int, int]]:
        """All (run seed, input) of the subject's protocol."""
        with self.files.seeds.open() as file:
            whole = Block(range(1 + max(int(line.split(",")[0]) for line in file.readlines()[1:])))
        return seed_inputs.read(self.files.seeds, whole)
