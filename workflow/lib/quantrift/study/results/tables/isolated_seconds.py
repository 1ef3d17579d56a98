"""Seconds of searches by themselves, in timing files beside the charged ones."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.statistics.published import SUBJECT
from quantrift.study.results.tables.published_tools import Rows
from quantrift.study.results.tables.query_pairs import Measure, Pairs, overall, with_factors

COLUMNS = (
    "isolated_inputs",
    "isolated_seconds",
    "isolated_seconds_average",
    "isolated_seconds_success_average",
    "isolated_sr_within",
    "isolated_ended_before",
)
"""See ``of_tools``."""
MEASURE = Measure("isolated_seconds", "isolated_seconds_success_average")
Cells = dict[tuple[str, ...], dict[str, Any]]
"""(dataset, network, compression, tool) -> column -> value."""


def of_tools(searches: pd.DataFrame, timeout: float | None) -> Cells:
    """Cells of each tool on each subject.

    ``isolated_inputs``, number of seed inputs; ``isolated_seconds``, of all their searches;
    ``isolated_seconds_average``, mean over them, a failed search charged in full; ``isolated_seconds_success_average``,
    mean over successes; ``isolated_sr_within``, share that succeeded within the timeout; ``isolated_ended_before``, in
    words, how many failed searches had spent their candidates before the timeout, so that the share could be larger.

    Args:
        searches: of ``statistics.disagreements``, by themselves.
        timeout: seconds that the paper gave a search; without them the last two are empty.
    """
    keys = [*SUBJECT, "tool"]
    return {tuple(map(str, names)): _cells(own, timeout) for names, own in searches.groupby(keys, sort=False)}


def with_factors_of(rows: Rows, pairs: Pairs) -> Rows:
    """Rows with the factors between tools, ``isolated_seconds_factor`` and so on.

    Args:
        rows: of tools on subjects, then over several subjects, with names of subject and ``tool``.
        pairs: tools to compare; their published numbers stand beside charged seconds, and are not repeated.
    """
    ours = replace(pairs, papers={})
    over = {row["tool"]: row for row in overall(rows, MEASURE, ours, rates=False)}
    return [
        row if any(row[key] for key in SUBJECT) or "seconds_success_average" not in row else _over(row, over)
        for row in with_factors(rows, MEASURE, ours)
    ]


def _over(row: dict[str, Any], over: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A row over several subjects, with what the same row of searches by themselves has."""
    same = over.get(row["tool"], {})
    return row | {name: value for name, value in same.items() if name.startswith(MEASURE.name)}


def _cells(searches: pd.DataFrame, timeout: float | None) -> dict[str, Any]:
    success, seconds = searches["success"].to_numpy(bool), searches["seconds"].to_numpy()
    cells: dict[str, Any] = {
        "isolated_inputs": len(searches),
        "isolated_seconds": float(seconds.sum()),
        "isolated_seconds_average": float(seconds.mean()),
        "isolated_seconds_success_average": float(seconds[success].mean()) if success.any() else np.nan,
    }
    if timeout is None:
        return cells
    if ended := int((~success & (seconds < timeout)).sum()):
        said = f"{ended} of {len(searches)} searches had spent their candidates before {timeout:g} s"
        cells["isolated_ended_before"] = said
    return cells | {"isolated_sr_within": float((success & (seconds <= timeout)).mean())}
