"""Comparison of tools over several subjects: means, and factors in the three ways that papers compute them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quantrift.core.settings.datasets import Dataset
from quantrift.core.statistics.published import SUBJECT, have_published, published_dataset
from quantrift.core.statistics.query_counts import factors
from quantrift.study.results.tables.published_tools import Published, Rows, Subject

FACTORS = ("factor", "factor_of_averages", "factor_geometric", "factor_least", "factor_most")
"""Endings of columns. A single subject has only the first; over subjects that one is the mean of theirs."""


@dataclass(frozen=True)
class Measure:
    """A measure in which tools are compared."""

    name: str
    """Prefix of the factors' columns, and name of the number in a published file."""
    own: str
    """Column of a tool's value on a subject."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of tools that a table compares, and their published numbers."""

    tools: Sequence[str]
    baseline: str | None
    papers: Published
    names: Mapping[str, str]
    """Tool -> its name in the file of the paper's numbers, where that is another."""
    datasets: Mapping[str, Dataset]

    def against(self, tool: str) -> str | None:
        """The tool that ``tool`` is compared with; None for the baseline."""
        return None if tool == self.baseline else self.baseline

    def published_against(self, tool: str) -> str | None:
        """The same, or None where both tools have the same published numbers."""
        base = self.against(tool)
        return None if base is None or self.names.get(base, base) == self.names.get(tool, tool) else base

    def filed(self, subject: Subject) -> Subject:
        """The name of a subject in the published file."""
        return (published_dataset(subject[0], self.datasets), *subject[1:])

    def published(self, subject: Subject, tool: str, what: str) -> float:
        """A published number of a tool on a subject, named as the paper names it; NaN without one."""
        return self.papers.get(subject, {}).get(self.names.get(tool, tool), {}).get(what, np.nan)


def with_factors(rows: Rows, measure: Measure, pairs: Pairs) -> Rows:
    """The rows with ``<measure>_factor``, the tool's value over the baseline's, and the paper's."""
    values = _by_tool(rows, measure.own)
    found: Rows = []
    for row in rows:
        tool, subject = row["tool"], _subject(row)
        base = pairs.against(tool) if tool in pairs.tools else None
        cells: dict[str, Any] = {}
        if base:
            own = _all([(_value(row, measure.own), values.get(base, {}).get(subject, np.nan))], measure.name)
            theirs = [pairs.published(pairs.filed(subject), one, measure.name) for one in (tool, base)]
            published = _all([(theirs[0], theirs[1])] if pairs.published_against(tool) else [], measure.name)
            first = f"{measure.name}_{FACTORS[0]}"
            cells = {first: own.get(first), f"published_{first}": published.get(first)}
        found.append(row | cells)
    return found


def overall(rows: Rows, measure: Measure, pairs: Pairs, rates: bool) -> Rows:
    """A row for each tool over the subjects that it and the baseline were searched on, and one over all of the paper's.

    The second is left out where the paper's subjects are those of the first. Subjects are means with equal weights.

    Args:
        rows: of tools on subjects.
        measure: compared measure.
        pairs: compared tools; a published subject without names holds numbers that the paper states of all.
        rates: whether the success rates are shown too.
    """
    values, success = _by_tool(rows, measure.own), _by_tool(rows, "sr")
    of_papers = have_published([row["dataset"] for row in rows], pairs.datasets)
    stated = pairs.papers.get(("", "", ""), {}) if of_papers else {}
    found: Rows = []
    for tool in pairs.tools:
        base = pairs.against(tool)
        name = pairs.names.get(tool, tool)
        compared = [tool, base] if base else [tool]
        ran = [one for one in values.get(tool, {}) if all(one in values.get(other, {}) for other in compared)]
        theirs = [
            one
            for one in pairs.papers
            if of_papers
            and any(one)
            and not any(np.isnan(pairs.published(one, other, measure.name)) for other in compared)
        ]
        keys = dict.fromkeys(SUBJECT, "") | {"tool": tool, "against": base}
        same = {pairs.filed(one) for one in ran}
        if len(ran) > 1:
            cells = {"subjects": len(ran), measure.own: _mean(values[tool][one] for one in ran)}
            cells |= _all([(values[tool][one], values[base][one]) for one in ran] if base else [], measure.name)
            if rates:
                cells |= {"sr": _mean(success[tool][one] for one in ran)}
                cells |= {"sr_least": min(success[tool][one] for one in ran)}
            if same <= set(theirs):
                cells |= _of_paper([pairs.filed(one) for one in ran], tool, base, measure, pairs, rates)
            if same == set(theirs):
                cells |= _stated(stated.get(name, {}), measure, rates)
            found.append(keys | cells)
        if (len(theirs) > 1 and same != set(theirs)) or (not theirs and name in stated):
            cells = {"subjects": len(theirs) or None} | _of_paper(theirs, tool, base, measure, pairs, rates)
            found.append(keys | cells | _stated(stated.get(name, {}), measure, rates))
    return found


def _of_paper(
    subjects: Sequence[Subject], tool: str, base: str | None, measure: Measure, pairs: Pairs, rates: bool
) -> dict[str, Any]:
    """The paper's numbers of a tool over some of its subjects."""
    if not subjects:
        return {}

    def of(one: str, what: str) -> list[float]:
        return [pairs.published(subject, one, what) for subject in subjects]

    own = of(tool, measure.name)
    cells: dict[str, Any] = {f"published_{measure.name}": _mean(own)}
    if base and pairs.published_against(tool):
        both = _all(list(zip(own, of(base, measure.name), strict=True)), measure.name)
        cells |= {f"published_{column}": value for column, value in both.items()}
    if rates:
        cells |= {"published_sr": _mean(of(tool, "sr")), "published_sr_least": min(of(tool, "sr"))}
    return cells


def _stated(numbers: Mapping[str, float], measure: Measure, rates: bool) -> dict[str, float]:
    """Numbers that a paper states over all its subjects without those of each."""
    return {
        f"published_{what}": value
        for what, value in numbers.items()
        if what.startswith(measure.name) or (rates and what.startswith("sr"))
    }


def _all(values: Sequence[tuple[float, float]], measure: str) -> dict[str, float]:
    """The factors of (tool, baseline) pairs by column; none where no pair is whole."""
    found = factors(values)
    if found is None:
        return {}
    each = (found.mean, found.of_averages, found.geometric, found.least, found.most)
    return {f"{measure}_{name}": value for name, value in zip(FACTORS, each, strict=True)}


def _by_tool(rows: Rows, column: str) -> dict[str, dict[Subject, float]]:
    found: dict[str, dict[Subject, float]] = {}
    for row in rows:
        if not np.isnan(value := _value(row, column)):
            found.setdefault(row["tool"], {})[_subject(row)] = value
    return found


def _value(row: Mapping[str, Any], column: str) -> float:
    value = row.get(column)
    return np.nan if value is None else float(value)


def _subject(row: Mapping[str, Any]) -> Subject:
    return tuple(str(row[key]) for key in SUBJECT)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
