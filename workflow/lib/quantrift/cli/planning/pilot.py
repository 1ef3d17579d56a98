"""The smallest pilot: one job of each kind whose cost nobody has measured."""

from collections.abc import Mapping, Sequence

from quantrift.cli.planning.dry_run import Planned
from quantrift.cli.planning.estimates import Estimate
from quantrift.plan import job_kinds, jobs, measured_rates
from quantrift.plan.jobs import Job
from quantrift.plan.root import Config


def unmeasured(
    config: Config, planned: Sequence[Planned], costs: Mapping[int, Estimate]
) -> dict[tuple[str, str, str], list[Planned]]:
    """The jobs of each kind without a measured rate, by rule, dataset and kind; kinds of most jobs first."""
    found: dict[tuple[str, str, str], list[Planned]] = {}
    for one in planned:
        if one.number not in costs or costs[one.number].like:
            job = Job(jobs.measured_as(one.job.rule), measured_rates.named(config, one.job))
            key = (job.rule, job.of.get("dataset", ""), job_kinds.kind(config, job))
            found.setdefault(key, []).append(one)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def files(config: Config, planned: Sequence[Planned], costs: Mapping[int, Estimate]) -> list[str]:
    """A file of one job of each of these kinds."""
    return [of_kind[0].outputs[0] for of_kind in unmeasured(config, planned, costs).values()]
