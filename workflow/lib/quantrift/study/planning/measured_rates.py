"""Measured rates of jobs (config/rates.csv), from which plans are made.

Written by `quantrift rates`. Jobs request memory and minutes by them; no result depends on them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from csv import DictReader
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from math import exp, log
from operator import attrgetter
from pathlib import Path
from statistics import fmean, median
from typing import Any

from pydantic import TypeAdapter

from quantrift.core.base.files import write_csv
from quantrift.core.base.grouped import grouped
from quantrift.study.planning import job_kinds, jobs
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.planning.root import Config

FILE = ROOT / "config" / "rates.csv"
TINY = 1e-9
"""Seconds of a unit of work whose written rate is 0."""
FACTOR, LONG_S = 2.0, 10.0
"""A rate of a job of so many seconds or more, farther than this factor from those of equal work, is to be measured
again. Of shorter jobs the start counts most."""
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
    jobs: int = 0
    """Number of measured jobs."""
    units: float = 0
    """Mean work of a job (``jobs.units``)."""
    start_seconds: float = 0
    """Fixed seconds of each job, whatever its work."""
    unit_seconds: float = 0
    memory_mb: float | None = None
    """Largest resident memory of a job; None where not measured."""
    unit_bytes: float = 0
    """Bytes that it writes for a unit of work."""
    machine: str = ""
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
class Estimate:
    """Estimate of one job."""

    seconds: float
    low: float
    high: float
    """Ends of the range; ``seconds`` of a job that was measured."""
    memory_mb: float | None
    bytes: float
    like: str = ""
    """Jobs from which the numbers were estimated; empty where they were measured."""
    stand_in: bool = False
    """Whether they were measured on a crop or simulation that stands for the job's data."""
    of_kind: bool = False
    """True where they were measured on other jobs of its kind (``quantrift.study.planning.job_kinds``)."""


@dataclass(frozen=True)
class Rates:
    """All measured rates."""

    of: Mapping[tuple[str, ...], Rate]

    def serving(self, config: Config, own: Rate) -> Rate | None:
        """The rate of a described job: its own, else the mean over its kind, on its dataset, crops, else simulations.

        None if none of these was measured.
        """
        if measured := self.of.get(own.key):
            return measured
        if alike := self.alike(own, own.dataset):
            return mean(alike, own.dataset)
        if not own.dataset or own.rule == "source":
            return None
        published = {name: dataset.published_as or name for name, dataset in config.datasets.items()}
        others = [name for name in published if published[name] == published[own.dataset]]
        # How soon a search ends depends on the networks, and those of real data are nearer to each other.
        for simulated in (False, True):
            names = [name for name in others if config.datasets[name].simulated == simulated]
            like = [found for name in names if (found := self.of.get(replace(own, dataset=name).key))]
            if like := like or [found for name in names for found in self.alike(own, name)]:
                return mean(like, "")
        return None

    def cost(self, config: Config, job: jobs.Job) -> Estimate | None:
        """Cost of a job; None where no such job was measured."""
        own = described(config, job)
        return self.cost_by(self.serving(config, own), config, job, own)

    def cost_by(self, rate: Rate | None, config: Config, job: jobs.Job, own: Rate) -> Estimate | None:
        """The same by the rate that serves the job, which is described as ``own``."""
        if rate is None:
            return None
        work, own_data = jobs.units(config, job), rate.dataset == own.dataset
        if work is None:
            if not own_data:
                return None
            work = rate.units
        seconds = rate.start_seconds + rate.unit_seconds * work
        memory = rate.memory_mb or self.memory.get(rate.rule)
        of_kind = own_data and not rate.settings
        return Estimate(seconds, seconds, seconds, memory, rate.bytes(work), stand_in=not own_data, of_kind=of_kind)

    def alike(self, own: Rate, dataset: str) -> Sequence[Rate]:
        """The rates of the kind (``job_kinds``) of another on a dataset that serve its budget of candidates.

        Searches that all ended with a disagreement within a smaller budget would be the same with this one.
        """
        return [
            rate
            for rate in self._kinds.get((own.rule, dataset, own.kind), ())
            if rate.evaluations == own.evaluations or (rate.evaluations < own.evaluations and rate.ended == 1)
        ]

    @cached_property
    def _kinds(self) -> Mapping[tuple[str, str, str], Sequence[Rate]]:
        """Rule, dataset and kind -> the rates of it."""
        return grouped(((rate.rule, rate.dataset, rate.kind), rate) for rate in self.of.values() if rate.kind)

    @cached_property
    def memory(self) -> dict[str, float]:
        """Rule -> memory of its largest job, in MB, used for jobs whose memory was not measured."""
        known = [(rate.memory_mb, rate.rule) for rate in self.of.values() if rate.memory_mb is not None]
        return {rule: memory for memory, rule in sorted(known)}


def described(config: Config, job: jobs.Job) -> Rate:
    """A rate of a job without measurements: its names, settings, and what it costs alike with."""
    rule = jobs.measured_as(job.rule)
    # A table or figure is named by its kind.
    target = job.of.get("table") or job.of.get("figure")
    own = jobs.Job(rule, {**job.of, "name": config.targets[target].kind} if target else job.of)
    known: dict[str, Any] = dict(zip(jobs.NAMES, own.names, strict=True))
    if rule == "search":
        known["searcher"] = config.tools[job.of["tool"]].searcher.name
        known["until"], known["evaluations"] = job_kinds.end(config, job)
    known |= {"settings": jobs.settings(config, own), "kind": job_kinds.kind(config, own)}
    return Rate(rule, **known, device=jobs.device(config, rule, job.of))


def mean(rates: Sequence[Rate], dataset: str) -> Rate:
    """One rate from several, said to be of a dataset; of no job in particular, so without the digest of its settings.

    The geometric mean of their seconds, which lie within factors of each other.
    """
    number = len(rates)
    return replace(
        rates[0],
        dataset=dataset,
        settings="",
        start_seconds=sum(rate.start_seconds for rate in rates) / number,
        unit_seconds=exp(fmean(log(max(rate.unit_seconds, TINY)) for rate in rates)),
        memory_mb=max([rate.memory_mb for rate in rates if rate.memory_mb is not None], default=None),
        unit_bytes=sum(rate.unit_bytes for rate in rates) / number,
    )


def from_equals(rates: Rates) -> Iterator[tuple[Rate, float]]:
    """Each rate of long jobs with its seconds over the median of at least three others of equal work on its data.

    Equal is the work of jobs of a kind (``job_kinds``), and of searches that use their budget: when one ends with a
    disagreement depends on the networks.
    """
    for rate in rates.of.values():
        own = rate.start_seconds + rate.unit_seconds * rate.units
        if own < LONG_S or not rate.kind or (rate.until and rate.until.partition(",")[0] != "budget"):
            continue
        others = [
            one for one in rates._kinds[rate.rule, rate.dataset, rate.kind] if one.evaluations == rate.evaluations
        ]
        seconds = [one.start_seconds + one.unit_seconds * rate.units for one in others if one is not rate]
        if len(seconds) > 2:
            yield rate, own / median(seconds)


@cache
def committed() -> Rates:
    """The rates of this checkout."""
    return read(FILE)


def read(path: Path) -> Rates:
    """The rates of a file; none where it is missing."""
    if not path.is_file():
        return Rates({})
    with path.open(newline="", encoding="utf-8") as file:
        # Where nothing was measured, a cell is empty.
        rows = [{**row, **{name: row.get(name) or None for name in ("memory_mb", "ended")}} for row in DictReader(file)]
    return Rates({rate.key: rate for rate in TypeAdapter(list[Rate]).validate_python(rows)})


def write(path: Path, rates: Iterable[Rate]) -> None:
    """Write a file of rates, sorted; measured numbers have three significant digits, settings are in full."""
    names = [field.name for field in fields(Rate)]
    ordered = sorted(rates, key=attrgetter("key"))
    write_csv(
        path,
        names,
        (
            [
                # The evaluations are a setting, not a measurement.
                f"{one:{'.9g' if name == 'evaluations' else '.3g'}}" if isinstance(one, float) else one
                for name, one in vars(rate).items()
            ]
            for rate in ordered
        ),
    )
