"""Cells of a table of findings on the spread of vectors, from a table of distances and its tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.core.page.number_format import missing
from quantrift.core.statistics.statistics import Evidence
from quantrift.study.results.tables.finding_cells import Cell
from quantrift.study.results.targets.hypotheses import SpreadHypothesis

SPREAD = "spread"
"""Median over run seeds of the mean distance between the scaled vectors of a run seed."""


def spreads(label: str, one: SpreadHypothesis, table: Path) -> Iterator[Cell]:
    """The cells of a hypothesis, p-values still unadjusted.

    Args:
        label: its label.
        one: the hypothesis.
        table: CSV of kind ``vector_distances``.
    """
    data = pd.read_csv(table)
    data = data[(data["form"] == "scaled") & (data["metaheuristic"] == one.metaheuristic)]
    for keys, rows in data.groupby(["dataset", "model", "compression"], sort=False):
        dataset, model, compression = map(str, keys)
        of = rows.set_index("fitness")
        subject = (dataset, model, compression)
        larger, smaller = (_number(of["within"].get(name)) for name in (one.larger, one.smaller))
        # The test stands in the row of the fitness function that the table names first.
        said = _evidence(of.iloc[0], 1 if of.index[0] == one.larger else -1)
        yield Cell(label, SPREAD, subject, subject, larger, smaller, said)


def _number(value: Any) -> float | None:
    return None if missing(value) else float(value)


def _evidence(tested: pd.Series, sign: int) -> Evidence:
    """One-sided p of a two-sided signed-rank test: half of it in the direction that the ranks point to.

    Sign flips are symmetric about 0, so that is exact. The p of the other direction is at least 1 minus that.
    """
    pairs = 0 if missing(tested["within_pairs"]) else int(tested["within_pairs"])
    if not pairs:
        return Evidence(run_seeds=0)
    effect = float(tested["within_a12"])
    effect = effect if sign > 0 else 1 - effect
    if missing(tested["within_p"]):
        return Evidence(pairs, a12=effect)
    direction, p = sign * float(tested["within_rank_biserial"]), float(tested["within_p"])
    towards = away = 1.0
    if direction:
        towards, away = (p / 2, 1 - p / 2) if direction > 0 else (1 - p / 2, p / 2)
    return Evidence(pairs, towards, away, float(tested["within_p_min"]) / 2, effect)
