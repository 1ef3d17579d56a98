"""Rates of jobs from the benchmark files and records of finished runs."""

import csv
import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq

from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import Paths
from quantrift.study.planning import job_kinds, jobs
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Rate, described
from quantrift.study.planning.root import Config

LONGEST_START = 20.0
"""Seconds before the work of a job begins, at most, where it does not note them: TensorFlow is imported, data read."""
OFTEN, OFTEN_UNTIL, SELDOM = 0.5, 15.0, 30.0
"""Seconds between two samples of a job by Snakemake, at first and later, and where later begins."""
UNKNOWN = ("NA", "-", "")
"""Texts of a number that Snakemake did not measure."""


@dataclass(frozen=True)
class Measured:
    """A job that has run."""

    job: Job
    seconds: float
    """Of the clock, or of processors where these are fewer."""
    memory_mb: float | None
    bytes: int
    units: float
    start: float
    """Seconds before its work began, at most."""
    ended: float | None = None
    """Share of its searches that a larger budget would not have made longer."""


def found(config: Config, results: Path) -> Iterator[Measured]:
    """The jobs of a configuration that left a benchmark file below a results folder."""
    paths = Paths(results / config.scale)
    for rule in jobs.RULES:
        for file, of in _matches(jobs.benchmark(paths, rule)):
            row = benchmark_row(file)
            memory = None if row["max_rss"] in UNKNOWN else float(row["max_rss"])
            # A source waits for files from elsewhere, so that its seconds of processors tell nothing.
            busy = None if rule == "source" else processor_seconds(row)
            yield from _measured(config, paths, Job(rule, of), min(float(row["s"]), busy or float("inf")), memory)


def processor_seconds(row: Mapping[str, str]) -> float | None:
    """Seconds of processors of a job, from its benchmark file; None for one that ended before they were sampled.

    Beside other work on the machine a job takes longer by the clock, but hardly longer on processors. They are known at
    the last sample only, up to 30 s before the job's end, and count as if the job went on alike.
    """
    clock, text = float(row["s"]), row.get("cpu_time", "")
    if text in UNKNOWN:
        return None
    seldom = max(clock - OFTEN_UNTIL, 0.0) // SELDOM * SELDOM
    last = clock // OFTEN * OFTEN if clock < OFTEN_UNTIL else OFTEN_UNTIL + seldom
    return float(text) * clock / last if last and float(text) else None


def benchmark_row(file: Path) -> dict[str, str]:
    """The row of a benchmark file of Snakemake's: ``s``, ``max_rss``, ``mean_load``, ... -> text."""
    with file.open(newline="", encoding="utf-8") as opened:
        return next(csv.DictReader(opened, delimiter="\t"))


def _matches(template: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Files of a path with wildcards in braces, with what stands for these."""
    text = str(template)
    pattern = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(text)))
    root = Path(re.split(r"[^/]*{", text, maxsplit=1)[0])
    for file in sorted(root.glob(re.sub(r"{\w+}", "*", text.removeprefix(f"{root}/")))) if root.is_dir() else ():
        if match := pattern.fullmatch(str(file)):
            yield file, match.groupdict()


def _measured(config: Config, paths: Paths, job: Job, seconds: float, memory: float | None) -> Iterator[Measured]:
    """The job, where the configuration has it."""
    try:
        described(config, job)
        work = jobs.units(config, job)
    except KeyError:
        return
    files = [Path(str(file).format(**job.of)) for file in jobs.outputs(paths, job.rule)]
    # No job but a search notes when its work started.
    start, ended = min(seconds / 2, LONGEST_START), None
    if job.rule == "search":
        if not files[1].is_file():
            return
        searches = pq.read_table(files[1], columns=["run_seed", "input", "generated", "reached", "seconds"])
        # By the clock, so at most these; beside other work nothing may be left for the start.
        start = max(seconds - sum(searches["seconds"].to_pylist()), 0.0)
        work = len(searches.group_by(["run_seed", "input"]).aggregate([]))
        if config.protocols[job.of["protocol"]].first_attack:
            budget = job_kinds.end(config, job)[1]
            each = zip(searches["generated"].to_pylist(), searches["reached"].to_pylist(), strict=True)
            ended = sum(reached > 0 or generated < budget for generated, reached in each) / max(searches.num_rows, 1)
    if work != 0:
        yield Measured(
            job, seconds, memory, sum(file.stat().st_size for file in files if file.is_file()), work or 1, start, ended
        )


def rates(config: Config, measured: list[Measured]) -> list[Rate]:
    """A rate for each kind of job, from all its measured jobs.

    A job's seconds are a start, the same for all jobs of its rule, and the rest, which is proportional to its work.
    """
    of = grouped((described(config, one.job).key, one) for one in measured)
    starts = {rule: min(one.start for one in measured if one.job.rule == rule) for rule in {key[0] for key in of}}
    return [_rate(described(config, own[-1].job), own, starts[rule]) for (rule, *_), own in of.items()]


def _rate(blank: Rate, own: Sequence[Measured], start: float) -> Rate:
    """The rate of measured jobs; ``start`` of all jobs of the rule counts where their work has a length."""
    work = sum(one.units for one in own)
    start = start if work > len(own) else 0.0
    return replace(
        blank,
        jobs=len(own),
        units=work / len(own),
        start_seconds=start,
        unit_seconds=sum(max(one.seconds - start, 0) for one in own) / work,
        memory_mb=max((one.memory_mb for one in own if one.memory_mb is not None), default=None),
        unit_bytes=sum(one.bytes for one in own) / work,
        machine=f"{platform.machine()}, {os.cpu_count()} cores",
        ended=min((one.ended for one in own if one.ended is not None), default=None),
    )
