"""Measured rates of jobs (config/rates.csv), from which plans are made.

Written by `quantrift rates`. Neither results nor jobs depend on them.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import Any

from quantrift.core.base.files import replacing
from quantrift.study.planning import job_kinds, jobs
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.planning.root import Config

FILE = ROOT / "config" / "rates.csv"
TINY = 1e-9
"""Seconds of a unit of work whose written rate is 0."""
NETWORKS = frozenset({"train", "train_blocks", "train_bits", "compress"})
"""Rules that write networks, whose files are as large after few epochs as after many."""


@dataclass(frozen=True)
class Rate:
    """Seconds, memory and bytes of jobs of a kind, on a quiet machine."""

    rule: str
    dataset: str
    model: str
    compression: str
    tool: str
    protocol: str
    name: str
    settings: str
    """Digest of further settings (``jobs.settings``)."""
    jobs: int
    """Number of measured jobs."""
    units: float
    """Mean work of a job (``jobs.units``)."""
    start_seconds: float
    """Fixed seconds of each job, whatever its work."""
    unit_seconds: float
    memory_mb: float | None
    """Largest resident memory of a job; None where not measured."""
    unit_bytes: float
    """Bytes that it writes for a unit of work."""
    machine: str
    searcher: str = ""
    """Name of the searcher, of a search; empty for other jobs."""
    until: str = ""
    """When a search ends: ``first attack`` or ``budget``; with ``, isolated`` where its job runs one search after the
    other."""
    evaluations: float = 1
    """Largest number of candidates of one search; 1 of any other job."""
    device: str = "cpu"
    """Device that the job trained on; ``cpu`` of any other job."""
    kind: str = ""
    """Digest of what it costs alike with (``job_kinds``); empty where that was not kept."""
    ended: float | None = None
    """Of searches that end with a disagreement, the share that a larger budget would not have made longer; None where
    not measured, and of other jobs."""

    @property
    def key(self) -> tuple[str, ...]:
        """Identity of a rate."""
        return (self.rule, *(getattr(self, name) for name in jobs.NAMES), self.settings)

    def bytes(self, work: float) -> float:
        """Bytes that a job with so much work writes."""
        return self.unit_bytes * (self.units if self.rule in NETWORKS else work)


@dataclass(frozen=True)
class Cost:
    """Seconds, memory and bytes of one job."""

    seconds: float
    memory_mb: float | None
    bytes: float


@dataclass(frozen=True)
class Rates:
    """All measured rates."""

    of: Mapping[tuple[str, ...], Rate]

    def find(self, config: Config, job: jobs.Job) -> Rate | None:
        """The rate of a job: its own, else the mean over its kind; of its dataset, else of crops, else of simulations.

        None if none of these was measured.
        """
        rule = jobs.measured_as(job.rule)
        named_job = jobs.Job(rule, named(config, job))
        first, *rest = named_job.names
        digest = jobs.settings(config, named_job)
        if own := self.of.get((rule, first, *rest, digest)):
            return own
        kind = job_kinds.kind(config, named_job)
        budget = job_kinds.end(config, named_job)[1] if rule == "search" else 1.0
        if alike := self.alike(rule, first, kind, budget):
            return mean(alike, first)
        if not first or rule == "source":
            return None
        others = [
            name
            for name, dataset in config.datasets.items()
            if (dataset.published_as or name) == (config.datasets[first].published_as or first)
        ]
        # How soon a search ends depends on the networks, and those of real data are nearer to each other.
        for simulated in (False, True):
            names = [name for name in others if config.datasets[name].simulated == simulated]
            like = [found for name in names if (found := self.of.get((rule, name, *rest, digest)))]
            like = like or [found for name in names for found in self.alike(rule, name, kind, budget)]
            if like:
                return mean(like, "")
        return None

    def cost(self, config: Config, job: jobs.Job) -> Cost | None:
        """Cost of a job; None where no such job was measured."""
        if (rate := self.find(config, job)) is None:
            return None
        work = jobs.units(config, job)
        if work is None:
            if rate.dataset != job.of.get("dataset", ""):
                return None
            work = rate.units
        memory = rate.memory_mb or self.memory(rate.rule)
        return Cost(rate.start_seconds + rate.unit_seconds * work, memory, rate.bytes(work))

    def memory(self, rule: str) -> float | None:
        """Memory of a rule's largest job, in MB; None where none was measured."""
        return self._memory.get(rule)

    def alike(self, rule: str, dataset: str, kind: str, budget: float) -> Sequence[Rate]:
        """The rates of a kind (``job_kinds``) on a dataset that serve a budget of candidates; 1 of jobs without one.

        Searches that all ended with a disagreement within a smaller budget would be the same with this one.
        """
        return [
            rate
            for rate in self._kinds.get((rule, dataset, kind), ())
            if rate.evaluations == budget or (rate.evaluations < budget and rate.ended == 1)
        ]

    @cached_property
    def _kinds(self) -> Mapping[tuple[str, str, str], Sequence[Rate]]:
        """Rule, dataset and kind -> the rates of it."""
        found: dict[tuple[str, str, str], list[Rate]] = {}
        for rate in self.of.values():
            if rate.kind:
                found.setdefault((rate.rule, rate.dataset, rate.kind), []).append(rate)
        return found

    @cached_property
    def _memory(self) -> dict[str, float]:
        """Rule -> memory of its largest job, used for jobs whose memory was not measured."""
        seen: dict[str, float] = {}
        for rate in self.of.values():
            if rate.memory_mb is not None:
                seen[rate.rule] = max(rate.memory_mb, seen.get(rate.rule, 0.0))
        return seen


def named(config: Config, job: jobs.Job) -> Mapping[str, str]:
    """A job's wildcards, with the kind of a table or figure as its name."""
    target = job.of.get("table") or job.of.get("figure")
    return {**job.of, "name": config.targets[target].kind} if target else job.of


def mean(rates: Sequence[Rate], dataset: str) -> Rate:
    """One rate from several, said to be of a dataset; of no job in particular, so without the digest of its settings.

    The geometric mean of their seconds, which lie within factors of each other.
    """
    number = len(rates)
    memory = [rate.memory_mb for rate in rates if rate.memory_mb is not None]
    return replace(
        rates[0],
        dataset=dataset,
        settings="",
        start_seconds=sum(rate.start_seconds for rate in rates) / number,
        unit_seconds=exp(fmean(log(max(rate.unit_seconds, TINY)) for rate in rates)),
        memory_mb=max(memory, default=None),
        unit_bytes=sum(rate.unit_bytes for rate in rates) / number,
    )


@cache
def committed() -> Rates:
    """The rates of this checkout."""
    return read(FILE)


def read(path: Path) -> Rates:
    """The rates of a file; none where it is missing."""
    if not path.is_file():
        return Rates({})
    with path.open(newline="", encoding="utf-8") as file:
        rates = [_rate(row) for row in csv.DictReader(file)]
    return Rates({rate.key: rate for rate in rates})


def _rate(row: Mapping[str, str]) -> Rate:
    numbers: dict[str, Any] = {
        name: float(row[name]) for name in ("units", "start_seconds", "unit_seconds", "unit_bytes", "evaluations")
    }
    numbers |= {name: float(row[name]) if row.get(name) else None for name in ("memory_mb", "ended")}
    numbers["jobs"] = int(row["jobs"])
    return Rate(**{**row, **numbers})


def write(path: Path, rates: Iterable[Rate]) -> None:
    """Write a file of rates, sorted; measured numbers have three significant digits."""
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        names = [field.name for field in fields(Rate)]
        rows.writerow(names)
        for rate in sorted(rates, key=lambda one: one.key):
            rows.writerow([_written(name, getattr(rate, name)) for name in names])


def _written(name: str, value: object) -> object:
    if not isinstance(value, float):
        return value
    # A setting, not a measurement.
    return f"{value:.9g}" if name == "evaluations" else f"{value:.3g}"
