"""Features of jobs, known before they run, by which similar measured jobs are found."""

from dataclasses import dataclass

from quantrift.plan import jobs
from quantrift.plan.jobs import Job
from quantrift.plan.measured_rates import Rate, named
from quantrift.plan.root import Config

SIZES = ("population", "swarm")
"""Settings of searchers for the candidates of a generation; one candidate where a searcher has none of them."""
ISOLATED = ", isolated"


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

    @property
    def kind(self) -> tuple[str, bool]:
        """Jobs of different kinds say nothing of each other's time: rule, and whether searches are isolated."""
        return self.rule, self.until.endswith(ISOLATED)


def of_job(config: Config, job: Job) -> Features:
    """Features of a planned job."""
    rule = jobs.measured_as(job.rule)
    names = dict(zip(jobs.NAMES, Job(rule, named(config, job)).names, strict=True))
    searcher, until, evaluations = "", "", 1.0
    if rule == "search":
        part, protocol = config.tools[job.of["tool"]].searcher, config.protocols[job.of["protocol"]]
        searcher, until = part.name, "first attack" if protocol.first_attack else "budget"
        until += ISOLATED if protocol.isolated_of else ""
        size = next((part.params[key] for key in SIZES if key in part.params), 1)
        evaluations = float(protocol.evaluations or protocol.generations * size)
    own = {key: names[key] for key in ("dataset", "model", "compression", "tool")}
    return Features(rule, **own, searcher=searcher, until=until, evaluations=evaluations)


def of_rate(rate: Rate) -> Features:
    """Features of a measured rate."""
    own = {key: getattr(rate, key) for key in ("dataset", "model", "compression", "tool", "searcher", "until")}
    return Features(rate.rule, **own, evaluations=rate.evaluations)
