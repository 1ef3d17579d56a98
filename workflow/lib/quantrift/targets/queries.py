"""Targets over the queries that searches need to their first disagreement (TriggerFinder)."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from quantrift.config.references import ExperimentId, ToolId
from quantrift.targets.checks import Whole
from quantrift.targets.target import PairTarget


class QueryTarget(PairTarget):
    """A target over queries."""

    from_: Annotated[list[ExperimentId], Field(alias="from", min_length=1)]
    """Experiments whose searches are used; they end with their first disagreement."""
    tools: Annotated[list[ToolId], Field(min_length=1)]
    """Of these tools."""


def mistakes(settings: QueryTarget, whole: Whole) -> Iterator[str]:
    """Each group of subjects may have a protocol of its own, as its seed inputs depend on its compressions."""
    used: dict[str, str] = {}
    for name in settings.experiments:
        protocol, subjects = whole.experiments[name].protocol, whole.experiments[name].subjects
        rules = whole.protocols[protocol]
        if not rules.first_attack or rules.goal == "targeted":
            yield (
                f"from: queries are counted to the first disagreement, and '{protocol}' searches for more or for "
                "others; take an experiment with first_attack: true whose goal is not targeted"
            )
        if used.setdefault(subjects, protocol) != protocol:
            yield (
                f"from: '{subjects}' are searched under {used[subjects]} and {protocol}; name experiments under one of "
                "them"
            )
