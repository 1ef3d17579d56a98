"""Results by run seed of the tools on one subject, and of groups of tools, for tables that compare them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.base.errors import refuse
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.run_seeds import KEYS, read_intervals
from quantrift.core.statistics.statistics import compare
from quantrift.study.results.tables.answer_words import grouped
from quantrift.study.results.targets.tool_groups import ToolGroup

RATES = ("dir", "dir_unique", "dir_valid", "sr", "vr", "queries")
"""Cells of a tool: medians over run seeds."""

INTERVALS = ("dir", "dir_unique", "dir_valid", "sr", "vr")
"""Rates with an interval and a share pooled over seed inputs."""

ENDS = ("low", "high", "pooled", "pooled_low", "pooled_high")
"""Suffixes of their columns: interval of the median over run seeds, then pooled share and its interval."""

Subject = tuple[str, ...]
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


Groups = Mapping[str, Runs | None]
"""Name of a group -> its runs, in order; None where it was not run."""
Mean = tuple[tuple[Subject, ...], Groups]
"""Subjects, and the results of the groups as means over them."""


def load(files: Sequence[Path]) -> dict[Subject, dict[str, Runs]]:
    """Subject -> tool -> its runs under the one protocol of the subject, in the order of the files.

    Args:
        files: per-run-seed CSVs written by ``quantrift.core.statistics.run_seeds.write``, their companions beside them.

    Raises:
        QuantriftError: a subject has results of two protocols, or a tool's run seeds have different sizes.
    """
    subjects = load_all(files)
    for subject, searches in subjects.items():
        (_, expected), *_ = searches
        refuse(
            *(
                (
                    protocol != expected,
                    f"{'/'.join(subject)}/{tool}: searched under {protocol}, other tools under {expected}; "
                    "a table compares tools under one protocol, name one in the experiments it takes its searches from",
                )
                for tool, protocol in searches
            )
        )
    return {subject: {tool: runs for (tool, _), runs in searches.items()} for subject, searches in subjects.items()}


def load_all(files: Sequence[Path]) -> dict[Subject, dict[tuple[str, str], Runs]]:
    """Subject -> (tool, protocol) -> its runs, in the order of the files.

    Raises:
        QuantriftError: a tool's run seeds have different sizes.
    """
    subjects: dict[Subject, dict[tuple[str, str], Runs]] = {}
    for file in files:
        table = pd.read_csv(file)
        *subject, tool, protocol = (str(table[key].iloc[0]) for key in KEYS)
        refuse(
            (
                table["inputs"].nunique() != 1,
                f"{'/'.join([*subject, tool])}: its run seeds have different numbers of inputs; "
                f"search {protocol} again",
            )
        )
        subjects.setdefault(tuple(subject), {})[tool, protocol] = _tool(table, file)
    return subjects


def _tool(table: pd.DataFrame, file: Path) -> Runs:
    series = table.set_index("run_seed")[list(RATES)].astype("float64").sort_index()
    cells = {rate: float(series[rate].median()) for rate in RATES}
    ends: Any = read_intervals(file).rename(columns={"median_low": "low", "median_high": "high"})
    cells |= {f"{rate}_{end}": float(ends.loc[rate, end]) for rate in INTERVALS for end in ENDS}
    return Runs(
        series,
        cells,
        {rate: ends.loc[rate, "rests_on"] for rate in INTERVALS},
        int(table["inputs"].iloc[0]),
        bool(table["inputs_shared"].any()),
        pd.read_csv(file.with_suffix(".timing.csv")),
    )


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
    return Runs(
        series,
        cells,
        {rate: _least([run.rests_on[rate] for run in runs]) for rate in INTERVALS},
        runs[0].inputs,
        any(run.overlap for run in runs),
        None,
    )


def runs_of_groups(
    groups: Mapping[str, ToolGroup], subject: Subject, searches: Mapping[tuple[str, str], Runs]
) -> Groups:
    """Each group on one subject.

    Raises:
        QuantriftError: a group that names no protocol has a tool with results of two.
    """

    def runs(name: str, tool: str) -> Runs | None:
        under = {
            protocol: one
            for (of, protocol), one in searches.items()
            if of == tool and groups[name].protocol in (None, protocol)
        }
        refuse(
            (
                len(under) > 1,
                f"{'/'.join(subject)}/{tool}: searched under {' and '.join(under)}; "
                f"name one of them as the protocol of group '{name}'",
            )
        )
        return next(iter(under.values()), None)

    return {name: group([runs(name, tool) for tool in members.tools]) for name, members in groups.items()}


def pooled(subjects: Mapping[Subject, Groups], keys: Sequence[str]) -> dict[Subject, Mean]:
    """Means over the subjects that agree in ``keys``, by the subject with the other keys empty."""
    alike = grouped(
        subjects, lambda subject: tuple(one if key in keys else "" for key, one in zip(SUBJECT, subject, strict=True))
    )
    return {
        subject: (
            tuple(members),
            {name: group([subjects[one][name] for one in members]) for name in subjects[members[0]]},
        )
        for subject, members in alike.items()
    }


def _least(members: Sequence[str]) -> str:
    """Smallest number of seed inputs that a member rests on, where these are few."""
    found = list(filter(None, members))
    return found[0] if len(members) == 1 and found else f"{min(found)} in a part" if found else ""


def against(runs: Runs, baseline: Runs, rate: str) -> dict[str, Any]:
    """A tool or group against the baseline over the run seeds both have."""
    first, second = runs.series[rate].align(baseline.series[rate], join="inner")
    return compare(first.to_numpy(), second.to_numpy(), test=not (runs.overlap or baseline.overlap))
