"""Features of jobs, known before they run, by which similar measured jobs are found."""

from dataclasses import dataclass

from quantrift.study.planning import job_devices, jobs
from quantrift.study.planning.job_kinds import ISOLATED, end
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Rate, named
from quantrift.study.planning.root import Config


@dataclass(frozen=True)
class Features:
    """Features of a job; empty where it has none."""

    rule: str
    dataset: str
    model: str
    compression: str
    tool: str
    searcher: str
    """Of a search."""
    until: str
    """When a search ends: ``first attack`` or ``budget``; with ``, isolated`` where its job runs one search after the
    other."""
    evaluations: float
    """Largest number of candidates of a search, for each of which its seconds count. 1 of any other job."""

    device: str
    """``cpu`` or ``gpu``."""

    @property
    def kind(self) -> tuple[str, bool, str]:
        """Jobs of different kinds say nothing of each other's time: rule, whether searches are isolated, device."""
        return self.rule, self.until.endswith(ISOLATED), self.device


def of_job(config: Config, job: Job) -> Features:
    """Features of a planned job."""
    rule = jobs.measured_as(job.rule)
    names = dict(zip(jobs.NAMES, Job(rule, named(config, job)).names, strict=True))
    searcher, until, evaluations = "", "", 1.0
    if rule == "search":
        searcher = config.tools[job.of["tool"]].searcher.name
        until, evaluations = end(config, job)
    own = {key: names[key] for key in ("dataset", "model", "compression", "tool")}
    device = job_devices.of(config, rule, job.of)
    return Features(rule, **own, searcher=searcher, until=until, evaluations=evaluations, device=device)


def of_rate(rate: Rate) -> Features:
    """Features of a measured rate."""
    own = {
        key: getattr(rate, key) for key in ("dataset", "model", "compression", "tool", "searcher", "until", "device")
    }
    return Features(rate.rule, **own, evaluations=rate.evaluations)
