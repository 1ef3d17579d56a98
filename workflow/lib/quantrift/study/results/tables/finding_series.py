"""The two sides of a hypothesis as series over run seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from quantrift.core.statistics.run_seeds import KEYS
from quantrift.study.results.tables.measured_runs import Subject
from quantrift.study.results.targets.hypotheses import Side

Measured = Mapping[tuple[Subject, str], pd.DataFrame]
"""(Subject, tool) -> its metrics of each run seed, indexed by run seed."""

Sides = tuple[Measured, Measured]
"""The side that should be larger, and the other."""


@dataclass(frozen=True)
class Series:
    """One side of a hypothesis on one subject, in one metric."""

    values: pd.Series
    """Indexed by run seed; mean of the tools in each; NaN where one of them is undefined."""
    cell: float
    """Mean of the tools' medians over run seeds."""
    mean: float
    """Mean over tools and run seeds, which tells more where most run seeds are 0."""
    overlap: bool
    """Whether run seeds share inputs."""


def load(files: Sequence[Path]) -> Measured:
    """The per-run-seed CSVs of some experiments under one protocol, in their order."""
    measured = {}
    for file in files:
        table = pd.read_csv(file)
        dataset, model, compression, tool = (str(table[key].iloc[0]) for key in KEYS[:-1])
        measured[(dataset, model, compression), tool] = table.set_index("run_seed").sort_index()
    return measured


def series(measured: Measured, side: Side, subject: Subject, metric: str) -> Series | None:
    """A side on a subject; None where one of its tools was not run there."""
    dataset, model, _ = subject
    parts: list[pd.Series] = []
    overlap = False
    for tool in side.tools:
        table = measured.get((subject, tool))
        if table is None:
            return None
        values = _values(table, side.seeds, metric)
        if side.minus:
            other = measured.get(((dataset, model, side.minus), tool))
            if other is None:
                return None
            values = values.sub(_values(other, side.seeds, metric)).loc[values.index.intersection(other.index)]
        parts.append(values)
        overlap |= bool((table["inputs_shared"] > 0).any())
    if not parts:
        return None
    tools = pd.concat(parts, axis=1, join="inner")
    middle, mean = (float(of_tools.mean(skipna=False)) for of_tools in (tools.median(), tools.mean()))
    return Series(tools.mean(axis=1, skipna=False), middle, mean, overlap)


def _values(table: pd.DataFrame, seeds: bool, metric: str) -> pd.Series:
    """A metric by run seed; of a side of seed inputs, the number or share on which the two models disagree."""
    if not seeds:
        return table[metric].astype("float64")
    disagreeing = (table["inputs"] - table["inputs_agreeing"]).astype("float64")
    return disagreeing if metric == "n_dii" else disagreeing / table["inputs"]
