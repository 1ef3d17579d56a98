"""Checks that a target's protocols search for, draw and store the data that it shows.

Each function yields a line for each mistake; it begins with the key of the target that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from quantrift.core.settings.networks import Networks
    from quantrift.core.settings.searches import Experiment, Subjects
    from quantrift.core.settings.searches import Protocol as Rules
    from quantrift.study.results.targets.target import Searching


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


def one_search_each(settings: Searching, whole: Whole) -> Iterator[str]:
    """Rates are shares of seed inputs, each of which is searched once in a run seed."""
    for where, protocol in rules(settings, whole):
        if protocol.goal == "targeted":
            yield f"{where} searches each input once for every class; take one whose goal is not targeted"


def others_are_stored(settings: Searching, whole: Whole) -> Iterator[str]:
    """Difference-inducing inputs are compared with the other valid candidates of the same seed input."""
    for where, protocol in rules(settings, whole):
        if protocol.candidates == "found":
            yield f"{where} stores no candidates on which the models agree; take one with candidates: all"
    yield from one_search_each(settings, whole)


def one_protocol(settings: Searching, whole: Whole) -> Iterator[str]:
    """All experiments search under one protocol."""
    used = list(dict.fromkeys(whole.experiments[name].protocol for name in settings.experiments))
    if len(used) > 1:
        yield f"from: its experiments search under {', '.join(used)}; name those of one protocol"


def goal(settings: Searching, whole: Whole, *, targeted: bool) -> Iterator[str]:
    """All protocols are targeted, or none is."""
    for name in dict.fromkeys(whole.experiments[name].protocol for name in settings.experiments):
        own = whole.protocols[name].goal
        if targeted != (own == "targeted"):
            yield (
                f"from: the goal of '{name}' is {own}; "
                f"name experiments whose goal is {'targeted' if targeted else 'another'}"
            )


def groups_are_no_tools(groups: Iterable[str], whole: Whole) -> Iterator[str]:
    """Groups of tools that have rows beside the tools' own have names of their own."""
    for name in groups:
        if name in whole.tools:
            yield f"groups: '{name}' is a tool; give the group a name of its own"


def same_inputs(protocols: Iterable[Rules]) -> bool:
    """Whether some protocols draw the same seed inputs."""
    draws = [protocol.draw for protocol in protocols]
    return all(one == draws[0] for one in draws)
