"""Targets that show search tools beside the enumeration of the same finite neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quantrift.core.statistics.recall import EXHAUSTIVE, SPACE
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import ToolTarget


def needs(settings: ToolTarget, results: Results) -> Mapping[str, Files]:
    """Counts of all searches, and the disagreements that they found."""
    return {"searches": results.counts(settings), "records": results.records(settings)}


def states(settings: ToolTarget, results: Results) -> dict[str, dict[str, Any]]:
    """Settings of the tools, which name their neighbourhoods."""
    return {"tools": results.stated("tools", list(dict.fromkeys(tool for *_, tool, _ in results.counts(settings))))}


def mistakes(settings: ToolTarget, whole: Whole) -> Iterator[str]:
    """All search finite neighbourhoods of the same inputs to the end; one tool enumerates each neighbourhood."""
    stated = dict(protocol_checks.rules(settings, whole))
    if not protocol_checks.same_inputs(stated.values()):
        yield "from: its experiments draw different seed inputs; give their protocols the same ones"
    yield from (
        f"{where} does not look for all disagreements of each input; take goal: differ and no stop or batch"
        for where, own in stated.items()
        if own.goal != "differ" or own.first_attack or own.patience or own.batch > 1
    )
    named = [name for one in settings.experiments for name in whole.experiments[one].tools if settings.shows(name, "")]
    of: dict[str, list[str]] = {}
    for name in dict.fromkeys(named):
        if named.count(name) > 1:
            yield f"from: '{name}' is a tool of several experiments; name one of them"
        tool = whole.tools[name]
        if tool.space.name != SPACE:
            yield f"tools: '{name}' searches no finite neighbourhood; take space {SPACE}, or name the tools to show"
        else:
            of.setdefault(str(tool.space.params["of"]), []).append(tool.searcher.name)
    yield from (
        f"tools: {searchers.count(EXHAUSTIVE)} enumerate '{text}'; show one with searcher {EXHAUSTIVE}"
        for text, searchers in of.items()
        if searchers.count(EXHAUSTIVE) != 1
    )
