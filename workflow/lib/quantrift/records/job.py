"""One search job: a block of run seeds of one tool on one subject, from files to records."""

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tqdm import tqdm

from quantrift.config.files import sha256
from quantrift.config.paths import COMPRESSED, ORIGINAL, Paths
from quantrift.data.inputs import Inputs
from quantrift.records.search import SearchRecord
from quantrift.records.writer import Writer
from quantrift.search.engine import Engine, Finished, Seed, Step
from quantrift.search.messages import Problem
from quantrift.search.tool import Tool, build
from quantrift.subjects import seeds
from quantrift.subjects.pair import load_pair


@dataclass(frozen=True)
class Job:
    """What a search job needs to know; plain values, so that its process loads no configuration library."""

    subject: dict[str, str]
    """dataset, model, compression, protocol."""
    tool: str
    tool_settings: dict[str, Any]
    """Resolved parts of the tool."""
    generations: int
    vectors: str | dict[str, int]
    """``records.vectors``."""
    batch: int
    memory_mb: float


@dataclass(frozen=True)
class Files:
    """Files a search job reads."""

    inputs: Path
    original: Path
    compressed: Path
    seeds: Path

    @staticmethod
    def of(paths: Paths, subject: Mapping[str, str]) -> "Files":
        """The files of a subject (dataset, model, compression, protocol) in a results folder."""
        dataset, model = subject["dataset"], subject["model"]
        return Files(
            inputs=paths.inputs(dataset, model),
            original=paths.model(dataset, model) / ORIGINAL,
            compressed=paths.compressed(dataset, model, subject["compression"]) / COMPRESSED,
            seeds=paths.seeds(dataset, model, subject["protocol"]),
        )


def problems(job: Job, tool: Tool, inputs: Inputs, chosen: list[tuple[int, int]]) -> list[Problem]:
    """A search for each (run seed, input)."""
    patches = inputs.take([index for _, index in chosen])
    return [
        Problem(
            dataset=job.subject["dataset"],
            run_seed=run_seed,
            index=index,
            input=patch,
            true_label=int(inputs.labels[index]),
            space=tool.space,
            generations=job.generations,
        )
        for (run_seed, index), patch in zip(chosen, patches, strict=True)
    ]


def run(job: Job, files: Files, run_seeds: range, out: Path) -> None:
    """Search a block of run seeds and write its records, with progress on standard error.

    Args:
        job: the tool and its budget.
        files: models, inputs and seed inputs.
        run_seeds: run seeds of the block.
        out: candidates table; the searches table is written beside it.
    """
    inputs = Inputs.load(files.inputs)
    pair = load_pair(files.original, files.compressed)
    tool = build(job.tool, job.tool_settings, inputs.shape)
    todo = problems(job, tool, inputs, seeds.read(files.seeds, run_seeds))
    engine = Engine(tool, pair.original, pair.compressed, job.batch, job.memory_mb)
    settings = {
        "subject": job.subject,
        "tool": job.tool,
        "tool_settings": job.tool_settings,
        "sha256": {name: sha256(path) for name, path in vars(files).items()},
        "machine": platform.machine(),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("quantrift", "ai-edge-litert", "numpy")},
    }
    limit = job.vectors["sample"] if isinstance(job.vectors, dict) else {"all": None, "first": 1}[job.vectors]
    records: dict[int, SearchRecord] = {}
    name = "/".join([*job.subject.values(), job.tool])
    pause = 0.5 if sys.stderr.isatty() else 15
    with Writer(out, settings) as writer, tqdm(desc=name, unit=" candidates", mininterval=pause) as progress:
        for event in engine.run(todo):
            match event:
                case Seed():
                    record = SearchRecord(todo[event.number], job.tool, limit, keep_first=job.vectors == "first")
                    record.seed = event
                    records[event.number] = record
                case Step():
                    records[event.number].add(event)
                    progress.update(len(event.candidates))
                case Finished():
                    writer.add(event.number, records.pop(event.number), event.result)
