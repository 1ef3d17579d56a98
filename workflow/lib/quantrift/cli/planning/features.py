"""Features of jobs, known before they run, by which measured jobs that are alike are found for unmeasured ones."""

from dataclasses import dataclass

from quantrift.plan import jobs
from quantrift.plan.jobs import Job
from quantrift.plan.measured_rates import Rate, named
from quantrift.plan.root import Config

SIZES = ("population", "swarm")
"""Settings of searchers that say how many candidates a generation has; one where a searcher has none of them."""


@dataclass(frozen=True)
class Features:
    """What a job is of. Empty where it is of none."""

    rule: str
    dataset: str
    model: str
    compression: str
    tool: str
    searcher: str
    """Of a search."""
    until: str
    """When a search ends: ``first attack`` or ``budget``."""
    evaluations: float
    """Most candidates of a search; its seconds are counted for each of them. 1 of any other job."""


def of_job(config: Config, job: Job) -> Features:
    """Those of a job to come."""
    rule = jobs.measured_as(job.rule)
    names = dict(zip(jobs.NAMES, Job(rule, named(config, job)).names, strict=True))
    searcher, until, evaluations = "", "", 1.0
    if rule == "search":
        part, protocol = config.tools[job.of["tool"]].searcher, config.protocols[job.of["protocol"]]
        searcher, until = part.name, "first attack" if protocol.first_attack else "budget"
        size = next((part.params[key] for key in SIZES if key in part.params), 1)
        evaluations = float(protocol.evaluations or protocol.generations * size)
    own = {key: names[key] for key in ("dataset", "model", "compression", "tool")}
    return Features(rule, **own, searcher=searcher, until=until, evaluations=evaluations)


def of_rate(rate: Rate) -> Features:
    """Those of jobs that were measured."""
    own = {key: getattr(rate, key) for key in ("dataset", "model", "compression", "tool", "searcher", "until")}
    return Features(rate.rule, **own, evaluations=rate.evaluations)
