"""Results by run seed of the tools on one subject, for tables that compare tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.run_seeds import KEYS, read_intervals
from quantrift.core.statistics.statistics import Comparison, compare

RATES = ("dir", "dir_unique", "dir_valid", "sr", "vr", "queries")
"""Cells of a tool: medians over run seeds."""

INTERVALS = ("dir", "dir_unique", "dir_valid", "sr", "vr")
"""Rates with an interval and a share pooled over seed inputs."""

ENDS = ("low", "high", "pooled", "pooled_low", "pooled_high")
"""Suffixes of their columns: interval of the median over run seeds, then pooled share and its interval."""

Subject = tuple[str, str, str]
"""(dataset, model, compression)."""


@dataclass(frozen=True)
class Runs:
    """One tool on one subject, or the mean of several of them."""

    series: pd.DataFrame
    """Indexed by run seed, ascending; columns ``RATES``; NaN where a rate is undefined."""
    cells: Mapping[str, float]
    """``RATES``, and of ``INTERVALS`` also ``<rate>_`` with ``ENDS``."""
    rests_on: Mapping[str, str]
    """Rate of ``INTERVALS`` -> the number of seed inputs behind the pooled share, in words, where these are few."""
    inputs: int
    """Seed inputs of each run seed."""
    overlap: bool
    """Whether run seeds share inputs."""
    timing: pd.DataFrame | None
    """Seconds of each run seed; of a group None."""


def load(files: Sequence[Path]) -> dict[Subject, dict[str, Runs]]:
    """Subject -> tool -> its runs under the one protocol of the subject, in the order of the files.

    Args:
        files: per-run-seed CSVs written by ``quantrift.core.statistics.run_seeds.write``, their companions beside them.

    Raises:
        QuantriftError: a subject has results of two protocols, or a tool's run seeds have different sizes.
    """
    subjects = {}
    for subject, searches in load_all(files).items():
        expected = next(iter(searches))[1]
        for tool, protocol in searches:
            if protocol != expected:
                raise QuantriftError(
                    f"{'/'.join(subject)}/{tool}: searched under {protocol}, other tools under {expected}; "
                    "a table compares tools under one protocol, name one in the experiments it takes its searches from"
                )
        subjects[subject] = {tool: runs for (tool, _), runs in searches.items()}
    return subjects


def load_all(files: Sequence[Path]) -> dict[Subject, dict[tuple[str, str], Runs]]:
    """Subject -> (tool, protocol) -> its runs, in the order of the files.

    Raises:
        QuantriftError: a tool's run seeds have different sizes.
    """
    subjects: dict[Subject, dict[tuple[str, str], Runs]] = {}
    for file in files:
        table = pd.read_csv(file)
        dataset, model, compression, tool, protocol = (str(table[key].iloc[0]) for key in KEYS)
        if table["inputs"].nunique() != 1:
            name = f"{dataset}/{model}/{compression}/{tool}"
            raise QuantriftError(f"{name}: its run seeds have different numbers of inputs; search {protocol} again")
        subjects.setdefault((dataset, model, compression), {})[tool, protocol] = _tool(table, file)
    return subjects


def _tool(table: pd.DataFrame, file: Path) -> Runs:
    series = table.set_index("run_seed")[list(RATES)].astype("float64").sort_index()
    cells = {rate: float(series[rate].median()) for rate in RATES}
    rows: dict[str, Any] = {str(row["metric"]): row for row in read_intervals(file).reset_index().to_dict("records")}
    for rate in INTERVALS:
        for end in ENDS:
            cells[f"{rate}_{end}"] = float(rows[rate][end if end.startswith("pooled") else f"median_{end}"])
    rests_on = {rate: rows[rate]["rests_on"] for rate in INTERVALS}
    timing = pd.read_csv(file.with_suffix(".timing.csv"))
    overlap = bool((table["inputs_shared"] > 0).any())
    return Runs(series, cells, rests_on, int(table["inputs"].iloc[0]), overlap, timing)


def group(members: Sequence[Runs | None]) -> Runs | None:
    """The mean of several tools or subjects: of their medians and pooled shares in cells, of values in a run seed.

    The ends of its intervals are the means of the members' ends: members may depend on each other, and whatever their
    correlation, the interval of the mean is no wider than that. None where there is no member, or one has no data or
    not the same run seeds, as the mean of the others would be another quantity.
    """
    runs = [member for member in members if member is not None]
    if not runs or len(runs) < len(members) or any(not run.series.index.equals(runs[0].series.index) for run in runs):
        return None
    series = sum((run.series for run in runs[1:]), runs[0].series) / len(runs)
    cells = {name: float(np.mean([run.cells[name] for run in runs])) for name in runs[0].cells}
    rests_on = {rate: _least([run.rests_on[rate] for run in runs]) for rate in INTERVALS}
    return Runs(series, cells, rests_on, runs[0].inputs, any(run.overlap for run in runs), None)


def _least(members: Sequence[str]) -> str:
    """Smallest number of seed inputs that a member rests on, where these are few."""
    found = [words for words in members if words]
    return found[0] if len(members) == 1 and found else f"{min(found)} in a part" if found else ""


def against(runs: Runs, baseline: Runs, rate: str) -> Comparison:
    """A tool or group against the baseline over the run seeds both have."""
    first, second = runs.series[rate].align(baseline.series[rate], join="inner")
    return compare(first.to_numpy(), second.to_numpy(), test=not (runs.overlap or baseline.overlap))
