"""The smallest pilot: one job of each kind whose cost nobody has measured."""

from collections import Counter
from collections.abc import Mapping, Sequence

from quantrift.cli.planning.dry_run import Planned
from quantrift.core.base.grouped import grouped
from quantrift.study.planning.measured_rates import Estimate, described
from quantrift.study.planning.root import Config

Kind = tuple[str, str, str, float]
"""Rule, dataset and kind of jobs (``quantrift.study.planning.job_kinds``), and of searches the budget, else 1."""


def unmeasured(config: Config, planned: Sequence[Planned], costs: Mapping[int, Estimate]) -> dict[Kind, list[Planned]]:
    """The jobs of each kind without a measured rate; kinds of most jobs first."""
    lacking = [one for one in planned if one.number not in costs or costs[one.number].like]
    found = grouped(
        ((own.rule, one.job.of.get("dataset", ""), own.kind, own.evaluations), one)
        for one in lacking
        for own in [described(config, one.job)]
    )
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def counted(config: Config, of_kinds: Mapping[Kind, Sequence[Planned]]) -> Counter[Kind]:
    """How many jobs each kind has, where a dataset and its crops and simulations count as one."""
    return Counter(_published(config, kind) for kind, own in of_kinds.items() for _ in own)


def files(config: Config, of_kinds: Mapping[Kind, Sequence[Planned]], serves: Counter[Kind] | None = None) -> list[str]:
    """A file of one job of each of these kinds.

    Args:
        config: the configuration of the jobs.
        of_kinds: the jobs of each kind (``unmeasured``).
        serves: how many jobs of another configuration each kind has there (``counted``); kinds of most of them come
            first, and those of none are left out.
    """
    if serves is None:
        return [own[0].outputs[0] for own in of_kinds.values()]
    chosen = sorted(of_kinds, key=lambda kind: -serves[_published(config, kind)])
    return [of_kinds[kind][0].outputs[0] for kind in chosen if serves[_published(config, kind)]]


def _published(config: Config, kind: Kind) -> Kind:
    rule, dataset, own, budget = kind
    return rule, (config.datasets[dataset].published_as or dataset) if dataset else "", own, budget
