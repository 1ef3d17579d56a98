"""Checks that a target's protocols search for, draw and store the data that it shows.

Each function yields a line for each mistake; it begins with the key of the target that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from quantrift.core.base.errors import nearest

if TYPE_CHECKING:
    from quantrift.core.settings.networks import Networks
    from quantrift.core.settings.searches import Experiment, Subjects
    from quantrift.core.settings.searches import Protocol as Rules
    from quantrift.study.results.targets.target import QueryTarget, Searching, SecondsTarget, UncertaintyTarget


class Whole(Protocol):
    """The whole configuration, as far as targets need it: sections by id."""

    experiments: dict[str, Experiment]
    protocols: dict[str, Rules]
    subjects: dict[str, Subjects]
    compressions: dict[str, Any]
    models: Networks
    targets: dict[str, Any]
    tools: dict[str, Any]


def rules(settings: Searching, whole: Whole) -> Iterator[tuple[str, Rules]]:
    """Beginning of an error for each experiment of a target, and the experiment's protocol."""
    for name in settings.experiments:
        yield f"from: experiment '{name}'", whole.protocols[whole.experiments[name].protocol]


def protocols(experiments: Iterable[str], whole: Whole) -> dict[str, Rules]:
    """The protocols of some experiments, by id, each once."""
    return {name: whole.protocols[name] for name in (whole.experiments[one].protocol for one in experiments)}


def of_rules(wrong: Callable[[Rules], object], words: str) -> Callable[[Searching, Whole], Iterator[str]]:
    """A check of the protocol of each experiment; ``words`` say what it does, ``{}`` being the protocol, and a remedy.

    Args:
        wrong: whether a protocol is.
        words: after the name of the experiment.
    """

    def mistakes(settings: Searching, whole: Whole) -> Iterator[str]:
        return (f"{where} {words.format(one)}" for where, one in rules(settings, whole) if wrong(one))

    return mistakes


def one_protocol(settings: Searching, whole: Whole) -> Iterator[str]:
    """All experiments search under one protocol."""
    used = protocols(settings.experiments, whole)
    if len(used) > 1:
        yield f"from: its experiments search under {', '.join(used)}; name those of one protocol"


def goal(settings: Searching, whole: Whole, *, targeted: bool) -> Iterator[str]:
    """All protocols are targeted, or none is."""
    yield from (
        f"from: the goal of '{name}' is {protocol.goal}; name experiments whose goal is "
        f"{'targeted' if targeted else 'another'}"
        for name, protocol in protocols(settings.experiments, whole).items()
        if targeted != (protocol.goal == "targeted")
    )


def groups_are_no_tools(settings: Any, whole: Whole) -> Iterator[str]:
    """Groups of tools that have rows beside the tools' own have names of their own."""
    yield from (
        f"groups: '{one}' is a tool; give the group a name of its own" for one in settings.groups if one in whole.tools
    )


def planned(settings: Any, whole: Whole) -> Iterator[str]:
    """Planned tests name tools and groups that have rows."""
    known = settings.names_of_rows(chain.from_iterable(whole.experiments[name].tools for name in settings.experiments))
    yield from (
        f"planned: '{name}' has no row of its own; {nearest(name, known)}"
        for one in settings.planned
        for name in (one.tool, one.against)
        if name is not None and name not in known
    )


def same_inputs(protocols: Iterable[Rules]) -> bool:
    """Whether some protocols draw the same seed inputs."""
    draws = [protocol.draw for protocol in protocols]
    return all(one == draws[0] for one in draws)


def of_queries(settings: QueryTarget, whole: Whole) -> Iterator[str]:
    """Each group of subjects may have a protocol of its own, as its seed inputs depend on its compressions."""
    used: dict[str, str] = {}
    for experiment in (whole.experiments[name] for name in settings.experiments):
        name, subjects = experiment.protocol, experiment.subjects
        if not whole.protocols[name].first_attack or whole.protocols[name].goal == "targeted":
            yield (
                f"from: queries are counted to the first disagreement, but searches under '{name}' go on after it or "
                "want a certain class; take an experiment with first_attack: true whose goal is not targeted"
            )
        if used.setdefault(subjects, name) != name:
            both = f"{used[subjects]} and {name}"
            yield f"from: '{subjects}' are searched under {both}; name experiments under one of them"


def of_uncertainty(settings: UncertaintyTarget, whole: Whole) -> Iterator[str]:
    """One line for each search under another protocol, with a targeted goal, or that ends at its first disagreement."""
    yield from one_protocol(settings, whole)
    yield from goal(settings, whole, targeted=False)
    yield from (
        f"from: searches under '{name}' end with their first disagreement, but this target counts all disagreements; "
        "name experiments without first_attack"
        for name, protocol in protocols(settings.experiments, whole).items()
        if protocol.first_attack
    )


def of_seconds(settings: SecondsTarget, whole: Whole) -> Iterator[str]:
    """One line for each protocol of which no other is ``isolated_of``, where the target shows these."""
    known = {protocol.isolated_of for protocol in whole.protocols.values()}
    yield from (
        f"isolated: no protocol is isolated_of '{name}'; add one, or remove isolated"
        for name in protocols(settings.experiments, whole)
        if settings.isolated and name not in known
    )


def all_of(*checks: Callable[[Any, Whole], Iterator[str]]) -> Callable[[Any, Whole], Iterator[str]]:
    """The lines of several checks, one after the other: ``mistakes`` of a kind."""

    def mistakes(settings: Any, whole: Whole) -> Iterator[str]:
        return chain.from_iterable(check(settings, whole) for check in checks)

    return mistakes


one_search_each = of_rules(
    lambda one: one.goal == "targeted",
    "searches each input once for every class; take one whose goal is not targeted",
)
"""Rates are shares of seed inputs, each of which is searched once in a run seed."""
others_are_stored = all_of(
    of_rules(
        lambda one: one.candidates == "found",
        "stores no candidates on which the models agree; take one with candidates: all",
    ),
    one_search_each,
)
"""Difference-inducing inputs are compared with the other valid candidates of the same seed input."""
targeted = all_of(one_protocol, partial(goal, targeted=True))
"""All search under one protocol for a wanted class."""
untargeted = all_of(one_protocol, partial(goal, targeted=False))
"""All search under one protocol without a wanted class."""
