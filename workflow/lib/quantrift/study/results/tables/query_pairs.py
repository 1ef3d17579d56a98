"""Comparison of tools over several subjects: means, and factors in the three ways that papers compute them.

Seconds, in timing files, are charged shares of what ran together, or those of searches by themselves.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.query_counts import factors
from quantrift.study.results.tables.answer_words import subject_of
from quantrift.study.results.tables.published_numbers import Key, OfTools, Rows, filed

FACTORS = ("factor", "factor_of_averages", "factor_geometric", "factor_least", "factor_most")
"""Endings of columns. A single subject has only the first; over subjects that one is the mean of theirs."""
OWN = {
    "queries": "queries_average",
    "seconds": "seconds_success_average",
    "isolated_seconds": "isolated_seconds_success_average",
}
"""Measure in which tools are compared -> column of a tool's value on a subject.

A measure is the prefix of the factors' columns, and the name of the number in a published file.
"""
Value = Callable[[Key, str, str], float]
"""A number of a tool on a subject, by subject, tool and name."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of tools that a table compares, and their published numbers."""

    tools: Sequence[str]
    baseline: str | None
    papers: OfTools
    names: Mapping[str, str]
    """Tool -> its name in the file of the paper's numbers, where that is another."""
    published_as: Mapping[str, str]
    """Id of a dataset, network or compression -> id of its published numbers, where that is another."""

    def against(self, tool: str) -> str | None:
        """The tool that ``tool`` is compared with; None for the baseline."""
        return self.baseline if tool in self.tools and tool != self.baseline else None

    def published_against(self, tool: str) -> str | None:
        """The same, or None where both tools have the same published numbers."""
        base = self.against(tool)
        return None if base is None or self.names.get(base, base) == self.names.get(tool, tool) else base

    def published(self, subject: Key, tool: str, what: str) -> float:
        """A published number of a tool on a subject, named as the paper names it; NaN without one."""
        return self.papers.get(subject, {}).get(self.names.get(tool, tool), {}).get(what, np.nan)


def with_factors(rows: Rows, measure: str, pairs: Pairs) -> Iterator[dict[str, Any]]:
    """The rows with ``<measure>_factor``, the tool's value over the baseline's, and the paper's."""
    value = _measured(rows, measure)
    name = f"{measure}_{FACTORS[0]}"
    for row in rows:
        subject, tool = subject_of(row), row["tool"]
        ours = _factors([subject], tool, pairs.against(tool), measure, value)
        theirs = _factors(
            [filed(subject, pairs.published_as)], tool, pairs.published_against(tool), measure, pairs.published
        )
        yield row | {name: ours.get(name), f"published_{name}": theirs.get(name)}


def overall(rows: Rows, measure: str, pairs: Pairs, rates: bool) -> Iterator[dict[str, Any]]:
    """A row for each tool over the subjects that it and the baseline were searched on, and one over all of the paper's.

    The second is left out where the paper's subjects are those of the first. Subjects are means with equal weights.

    Args:
        rows: of tools on subjects.
        measure: compared measure, of ``OWN``.
        pairs: compared tools; a published subject without names holds numbers that the paper states of all.
        rates: whether the success rates are shown too.
    """
    value = _measured(rows, measure)
    of_papers = any(row["dataset"] in pairs.published_as for row in rows)
    stated = pairs.papers.get(("", "", ""), {}) if of_papers else {}
    papers = [subject for subject in pairs.papers if of_papers and any(subject)]
    for tool in pairs.tools:
        base = pairs.against(tool)
        compared = [tool, base] if base else [tool]
        ran = _whole(dict.fromkeys(map(subject_of, rows)), compared, measure, value)
        theirs = _whole(papers, compared, measure, pairs.published)
        keys = dict.fromkeys(SUBJECT, "") | {"tool": tool, "against": base}
        of_all = {
            f"published_{what}": number
            for what, number in stated.get(pairs.names.get(tool, tool), {}).items()
            if what.startswith(measure) or (rates and what.startswith("sr"))
        }
        same = [filed(one, pairs.published_as) for one in ran]
        if len(ran) > 1:
            cells = {OWN.get(name, name): ours for name, ours in _over(ran, tool, base, measure, value, rates).items()}
            if set(same) <= set(theirs):
                cells |= _of_paper(same, tool, measure, pairs, rates)
            yield keys | {"subjects": len(ran)} | cells | (of_all if set(same) == set(theirs) else {})
        if (len(theirs) > 1 and set(same) != set(theirs)) or (not theirs and pairs.names.get(tool, tool) in stated):
            yield keys | {"subjects": len(theirs) or None} | _of_paper(theirs, tool, measure, pairs, rates) | of_all


def _of_paper(subjects: Sequence[Key], tool: str, measure: str, pairs: Pairs, rates: bool) -> dict[str, Any]:
    """The paper's numbers of a tool over some of its subjects."""
    found = _over(subjects, tool, pairs.published_against(tool), measure, pairs.published, rates) if subjects else {}
    return {f"published_{name}": number for name, number in found.items()}


def _over(
    subjects: Sequence[Key], tool: str, base: str | None, measure: str, value: Value, rates: bool
) -> dict[str, float]:
    """Mean of a measure over subjects, its factors, and mean and least success rate."""
    success = [value(subject, tool, "sr") for subject in subjects] if rates else []
    return {
        measure: float(np.mean([value(subject, tool, measure) for subject in subjects])),
        **_factors(subjects, tool, base, measure, value),
        **({"sr": float(np.mean(success)), "sr_least": min(success)} if rates else {}),
    }


def _factors(subjects: Sequence[Key], tool: str, base: str | None, measure: str, value: Value) -> dict[str, float]:
    """The factors by column; none without another tool, or where no subject has both values."""
    pairs = [(value(one, tool, measure), value(one, base, measure)) for one in subjects] if base else []
    return {f"{measure}_{name}": number for name, number in factors(pairs).items()}


def _whole(subjects: Iterable[Key], tools: Sequence[str], measure: str, value: Value) -> list[Key]:
    """The subjects on which all of some tools have a value."""
    return [one for one in subjects if not any(np.isnan(value(one, tool, measure)) for tool in tools)]


def _measured(rows: Rows, measure: str) -> Value:
    """Our numbers: of the measure, and success rates."""
    columns = {measure: OWN[measure], "sr": "sr"}
    found = {
        (subject_of(row), row["tool"], what): float(row[column])
        for row in rows
        for what, column in columns.items()
        if row.get(column) is not None
    }
    return lambda *named: found.get(named, np.nan)


ISOLATED = (
    "isolated_inputs",
    "isolated_seconds",
    "isolated_seconds_average",
    "isolated_seconds_success_average",
    "isolated_sr_within",
    "isolated_ended_before",
)
"""See ``isolated``."""


def charged(searches: pd.DataFrame, timeout: float | None) -> dict[str, float]:
    """Seconds of all searches, their mean over successes, and the share that succeeded within the timeout, if any."""
    success, seconds = searches["success"].to_numpy(bool), searches["seconds"].to_numpy()
    return {
        "seconds": float(seconds.sum()),
        "seconds_success_average": float(seconds[success].mean()) if success.any() else np.nan,
        "sr_within": float((success & (seconds <= timeout)).mean()) if timeout else np.nan,
    }


def isolated(searches: pd.DataFrame, timeout: float | None) -> dict[Key, dict[str, Any]]:
    """Cells of each tool on each subject, of searches by themselves.

    ``isolated_inputs``, number of seed inputs; ``isolated_seconds``, of all their searches;
    ``isolated_seconds_average``, mean over them, a failed search charged in full; ``isolated_seconds_success_average``,
    mean over successes; ``isolated_sr_within``, share that succeeded within the timeout; ``isolated_ended_before``, in
    words, how many failed searches had spent their candidates before the timeout, so that the share could be larger.

    Args:
        searches: of ``statistics.disagreements``, by themselves.
        timeout: seconds that the paper gave a search; without them the last two are empty.
    """
    of_tools = searches.groupby([*SUBJECT, "tool"], sort=False)
    return {tuple(map(str, names)): _isolated(own, timeout) for names, own in of_tools}


def isolated_factors(rows: Rows, pairs: Pairs) -> Rows:
    """Rows with the factors between tools, ``isolated_seconds_factor`` and so on.

    Args:
        rows: of tools on subjects, then over several subjects, with names of subject and ``tool``.
        pairs: tools to compare; their published numbers stand beside charged seconds, and are not repeated.
    """
    ours = replace(pairs, papers={})
    over = {
        row["tool"]: {name: value for name, value in row.items() if name.startswith("isolated_seconds")}
        for row in overall(rows, "isolated_seconds", ours, rates=False)
    }
    return [
        row | (over.get(row["tool"], {}) if "seconds_success_average" in row and not any(map(row.get, SUBJECT)) else {})
        for row in with_factors(rows, "isolated_seconds", ours)
    ]


def _isolated(searches: pd.DataFrame, timeout: float | None) -> dict[str, Any]:
    cells: dict[str, Any] = {
        **{f"isolated_{name}": value for name, value in charged(searches, timeout).items()},
        "isolated_inputs": len(searches),
        "isolated_seconds_average": float(searches["seconds"].mean()),
    }
    if timeout is not None and (ended := int((~searches["success"] & (searches["seconds"] < timeout)).sum())):
        cells["isolated_ended_before"] = (
            f"{ended} of {len(searches)} searches had spent their candidates before {timeout:g} s"
        )
    return cells
