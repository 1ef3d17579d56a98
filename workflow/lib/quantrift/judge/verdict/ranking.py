"""Ranking of several compressed networks of one original on the same seed inputs.

Seed inputs are drawn for inputs and original, never for a candidate, so that each comparison is paired: whether a seed
input leads to a disagreement by McNemar's test, how many of its candidates disagree by sign flips of Pratt's signed
ranks. Holm's correction is over all comparisons of the assessment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from quantrift.core.base import table_files
from quantrift.core.base.table_columns import in_order
from quantrift.core.search.record_columns import searches_path
from quantrift.core.statistics.disagreement_tests import mcnemar
from quantrift.core.statistics.statistics import ALPHA, compare, holm
from quantrift.judge.verdict.assessment import Candidate, Comparison, Ranking
from quantrift.judge.verdict.tool_result import ToolResult


def rank(candidates: Sequence[Candidate], root: Path) -> Ranking:
    """Order candidates, at least two, by how often a search with natural distortions makes them disagree.

    Args:
        candidates: with the same tools, on the same seed inputs.
        root: folder that their files are named relative to.
    """
    # The last natural tool is the one that searches; the others sample.
    by = [tool.tool for tool in candidates[0].tools if tool.judged][-1]
    tools = {one.name: {tool.tool: tool for tool in one.tools} for one in candidates}
    order = sorted(tools, key=lambda name: (tools[name][by].dir.value or 0.0, tools[name][by].sr.value or 0.0, name))
    found = [
        comparison
        for tool in tools[order[0]]
        for first, second in combinations(order, 2)
        for comparison in _pair(tools[first][tool], tools[second][tool], first, second, root)
    ]
    comparisons = [replace(one, p_holm=p) for one, p in zip(found, holm([one.p for one in found]), strict=True)]
    return Ranking(by, order, comparisons, _text(order, comparisons, by, {n: tools[n][by] for n in order}))


def _pair(first: ToolResult, second: ToolResult, one: str, other: str, root: Path) -> list[Comparison]:
    """SR, and DiR of tools that go on after the first disagreement."""
    tables = [
        in_order(table_files.read(searches_path(root / tool.records)), ["run_seed", "input"])
        for tool in (first, second)
    ]
    hits = [table["dii"] > 0 for table in tables]
    alone = mcnemar(*hits)
    common: dict[str, Any] = {
        "tool": first.tool,
        "first": one,
        "second": other,
        "inputs": len(hits[0]),
        "p_holm": None,
    }
    found = [
        Comparison(
            **common,
            metric="sr",
            first_value=first.sr.value,
            second_value=second.sr.value,
            first_alone=alone.first,
            second_alone=alone.second,
            shift=None,
            shift_low=None,
            shift_high=None,
            p=alone.p,
        )
    ]
    if not first.first_attack:
        paired = compare(*(table["dii_memberships"] / table["memberships"] for table in tables))
        found.append(
            Comparison(
                **common,
                metric="dir",
                first_value=first.dir.value,
                second_value=second.dir.value,
                first_alone=None,
                second_alone=None,
                shift=paired["shift"],
                shift_low=paired["shift_low"],
                shift_high=paired["shift_high"],
                p=paired["p"],
            )
        )
    return found


def _text(order: Sequence[str], comparisons: Sequence[Comparison], by: str, tools: Mapping[str, ToolResult]) -> str:
    """Line on the first candidate, and whether the second differs significantly."""
    first, second = order[:2]
    [one] = [one for one in comparisons if (one.tool, one.metric, one.first, one.second) == (by, "dir", first, second)]
    rates = f"DiR {100 * (tools[first].dir.value or 0):.2f} % against {100 * (tools[second].dir.value or 0):.2f} %"
    if one.p_holm is None:
        return f"{first} before {second}: {rates}; too few seed inputs to test"
    significant = "significant" if one.p_holm < ALPHA else "not significant"
    return f"{first} before {second}: {rates}, {significant} at 5 % (p = {one.p_holm:.2g} after Holm)"
