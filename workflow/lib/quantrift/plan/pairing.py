"""Whether what a table compares can be compared: one protocol a group, the same seed inputs for all."""

from collections.abc import Iterable, Iterator, Mapping

from quantrift.config.comparison_targets import FirstAttackTable, GroupTable
from quantrift.config.diffchaser_targets import (
    GoalTarget,
    TargetedFigure,
    TargetedTable,
    UncertaintyTarget,
)
from quantrift.config.hypotheses import FindingsTable, Hypothesis
from quantrift.config.searches import DRAW, Experiment, Protocol
from quantrift.config.target import Target
from quantrift.config.triggerfinder_targets import QueryTarget


def mistakes(
    targets: Mapping[str, Target], experiments: Mapping[str, Experiment], protocols: Mapping[str, Protocol]
) -> Iterator[str]:
    """One line for each target whose searches do not belong together."""
    for label, target in targets.items():
        if isinstance(target, GroupTable):
            yield from _of_groups(label, target, experiments, protocols)
        if isinstance(target, FindingsTable):
            for name, one in target.hypotheses.items():
                yield from _of_hypothesis(f"targets.{label}.hypotheses.{name}", one, experiments, protocols)
            for name, spread in target.spreads.items():
                compared = getattr(targets[spread.distances], "metaheuristics", {}).get(spread.metaheuristic, {})
                if {spread.larger, spread.smaller} != set(compared):
                    yield (
                        f"targets.{label}.spreads.{name}: {spread.distances} does not compare {spread.larger} with "
                        f"{spread.smaller} under {spread.metaheuristic}; name what it compares"
                    )
        if isinstance(target, GoalTarget | UncertaintyTarget):
            yield from _of_goals(label, target, experiments, protocols)
        if isinstance(target, QueryTarget):
            yield from _of_queries(label, target, experiments, protocols)
        if isinstance(target, FirstAttackTable):
            for name in target.from_:
                if not protocols[experiments[name].protocol].first_attack:
                    yield (
                        f"targets.{label}.from: experiment '{name}' goes on after the first difference-inducing input, "
                        "so its times are those of whole searches; take one with first_attack: true"
                    )


def _of_groups(
    label: str, target: GroupTable, experiments: Mapping[str, Experiment], protocols: Mapping[str, Protocol]
) -> Iterator[str]:
    used: dict[str, Protocol] = {}
    for name, group in target.groups.items():
        found = {
            experiment.protocol: protocols[experiment.protocol]
            for experiment in (experiments[one] for one in target.from_)
            if set(experiment.tools) & set(group.tools) and group.protocol in (None, experiment.protocol)
        }
        if len(found) > 1:
            yield (
                f"targets.{label}.groups: the tools of '{name}' are searched under {', '.join(found)}; "
                f"name one of them as its protocol"
            )
        used |= found
    if not _same_inputs(used.values()):
        yield (
            f"targets.{label}.groups: {', '.join(used)} draw different seed inputs, and groups are compared on the "
            f"same ones; state the same {', '.join(DRAW)}"
        )


def _of_goals(
    label: str,
    target: GoalTarget | UncertaintyTarget,
    experiments: Mapping[str, Experiment],
    protocols: Mapping[str, Protocol],
) -> Iterator[str]:
    used = list(dict.fromkeys(experiments[name].protocol for name in target.from_))
    if len(used) > 1:
        yield f"targets.{label}.from: its experiments search under {', '.join(used)}; name those of one protocol"
    for name in used:
        wants = isinstance(target, TargetedTable | TargetedFigure)
        if wants != (protocols[name].goal == "targeted"):
            yield (
                f"targets.{label}.from: the goal of '{name}' is {protocols[name].goal}; "
                f"name experiments whose goal is {'targeted' if wants else 'another'}"
            )
        if isinstance(target, UncertaintyTarget) and protocols[name].first_attack:
            yield (
                f"targets.{label}.from: searches under '{name}' end with their first disagreement, and all of them are "
                "counted here; name experiments without first_attack"
            )


def _of_queries(
    label: str, target: QueryTarget, experiments: Mapping[str, Experiment], protocols: Mapping[str, Protocol]
) -> Iterator[str]:
    """Each group of subjects may have a protocol of its own, as its seed inputs depend on its compressions."""
    used: dict[str, str] = {}
    for name in target.from_:
        protocol, subjects = experiments[name].protocol, experiments[name].subjects
        if not protocols[protocol].first_attack or protocols[protocol].goal == "targeted":
            yield (
                f"targets.{label}.from: queries are counted to the first disagreement, and '{protocol}' searches for "
                "more or for others; take an experiment with first_attack: true whose goal is not targeted"
            )
        if used.setdefault(subjects, protocol) != protocol:
            yield (
                f"targets.{label}.from: '{subjects}' are searched under {used[subjects]} and {protocol}; name "
                "experiments under one of them"
            )


def _of_hypothesis(
    where: str, one: Hypothesis, experiments: Mapping[str, Experiment], protocols: Mapping[str, Protocol]
) -> Iterator[str]:
    used: dict[str, Protocol] = {}
    for side in one.sides:
        found = {name: protocols[name] for name in (experiments[of].protocol for of in one.experiments(side))}
        if len(found) > 1:
            yield f"{where}: '{side.name}' is searched under {', '.join(found)}; name experiments under one of them"
        used |= found
    if one.paired and not _same_inputs(used.values()):
        yield (
            f"{where}: {', '.join(used)} draw different seed inputs, and sides are compared on the same ones; state "
            f"the same {', '.join(DRAW)}, or paired: false"
        )


def _same_inputs(protocols: Iterable[Protocol]) -> bool:
    draws = [[getattr(protocol, key) for key in DRAW] for protocol in protocols]
    return all(one == draws[0] for one in draws)
