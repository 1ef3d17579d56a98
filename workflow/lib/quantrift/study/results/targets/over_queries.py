"""Targets over queries: candidates that searches need to their first disagreement."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from quantrift.core.settings.references import ToolId
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.target import PairTarget


class QueryTarget(PairTarget):
    """A target over searches that end with their first disagreement."""

    tools: Annotated[list[ToolId], Field(min_length=1)]
    """Tools whose searches are used."""


def mistakes(settings: QueryTarget, whole: Whole) -> Iterator[str]:
    """Each group of subjects may have a protocol of its own, as its seed inputs depend on its compressions."""
    used: dict[str, str] = {}
    for name in settings.experiments:
        protocol, subjects = whole.experiments[name].protocol, whole.experiments[name].subjects
        if not whole.protocols[protocol].first_attack or whole.protocols[protocol].goal == "targeted":
            yield (
                f"from: queries are counted to the first disagreement, but searches under '{protocol}' go on after it "
                "or want a certain class; take an experiment with first_attack: true whose goal is not targeted"
            )
        if used.setdefault(subjects, protocol) != protocol:
            yield (
                f"from: '{subjects}' are searched under {used[subjects]} and {protocol}; name "
                "experiments under one of them"
            )
