"""Columns and cells of tables that compare tools or groups of tools; times stand apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from quantrift.core.page.shared_columns import INPUTS, RATES, RUN_SEEDS, SEARCHED, pooled, searched
from quantrift.core.statistics.column import SCALE, Column, Columns, Kind, published, with_interval
from quantrift.core.statistics.statistics import columns as statistics
from quantrift.study.results.tables.comparison import Row
from quantrift.study.results.tables.measured_runs import INTERVALS, Runs

TIMING = ("seconds", "candidates_per_second")
_MEDIANS = [with_interval(RATES[rate]) for rate in INTERVALS]
_MEASURED = (
    *(median for median, *_ in _MEDIANS),
    Column("queries", "Queries", meaning="Candidates put through both models, mean over seed inputs."),
    *(end for _, *ends in _MEDIANS for end in ends),
    *(column for rate in INTERVALS for column in with_interval(pooled(rate), rests_on=f"{rate}_rests_on")),
)
"""Medians over run seeds, of a group the means of its tools' medians; then the shares over all seed inputs."""
_BOUND = "Bound that the paper states for all tests of the table except those that have a value of their own."
_BOUNDS = (
    Column("published_p_below", "p below", "p", _BOUND, "published"),
    Column("published_a12_above", "A12 above", "effect", _BOUND, "published"),
)


def _of_a_test(rate: str) -> Columns:
    """What a paper states for the test of one rate in one row; these columns exist where its file has them."""
    label = RATES[rate].label
    names: tuple[tuple[str, str, Kind], ...] = (
        *(("p", "p", "p"), ("a12", "A12", "effect")),
        *(("a12_least", "A12 at least", "effect"), ("a12_most", "A12 at most", "effect")),
    )
    return tuple(
        Column(
            f"published_{rate}_{name}",
            f"{label} {words}",
            kind,
            f"What the paper states for the test of {label} alone.",
            "published",
        )
        for name, words, kind in names
    )


def used(columns: Columns, rows: Iterable[Row]) -> Columns:
    """The columns without those of single tests for which no row has a published value."""
    stated = {f"published_{name}" for row in rows for name in row.published}
    single = {column.name for rate in RATES for column in _of_a_test(rate)}
    return tuple(column for column in columns if column.name not in single or column.name in stated)


def columns(labels: Columns, tested: Sequence[str], in_papers: Sequence[str]) -> Columns:
    """Keys, rates with intervals, statistics, published numbers.

    Args:
        labels: columns after the names of subject and tool.
        tested: rates with statistics; those of the first have no prefix.
        in_papers: rates with published numbers.
    """
    return (
        *(*SEARCHED, *labels, RUN_SEEDS, INPUTS, *_MEASURED),
        *(column for rate in tested for column in statistics(RATES[rate].label, prefix(rate, tested))),
        *(*(published(RATES[rate]) for rate in in_papers), *_BOUNDS),
        *(*(column for rate in in_papers for column in _of_a_test(rate)), SCALE),
    )


def cells(row: Row, tested: Sequence[str], scale: str) -> dict[str, Any]:
    """The cells of a row, by the names of its columns; all of ours are empty where nothing was run."""
    found: dict[str, Any] = searched((*row.subject, row.name))
    found |= {"against": row.against, "subjects": len(row.subjects) or None}
    if row.runs:
        found |= {"run_seeds": len(row.runs.series), "inputs": row.runs.inputs, "scale": scale, **row.runs.cells}
        found |= {f"{rate}_rests_on": words for rate, words in row.runs.rests_on.items()}
    for rate, comparison in row.comparisons.items():
        facts = asdict(comparison) | {"p_holm": row.holm[rate]}
        found |= {f"{prefix(rate, tested)}{name}": value for name, value in facts.items()}
    return found | {f"published_{what}": value for what, value in row.published.items()}


def prefix(rate: str, tested: Sequence[str]) -> str:
    """Prefix of the names of a rate's statistics."""
    return "" if rate == tested[0] else f"{rate}_"


def timing(measured: Mapping[tuple[str, ...], Runs], keys: Sequence[str]) -> pd.DataFrame:
    """Seconds of all run seeds and the median rate of candidates, of each single tool; ``keys`` name what it is."""
    records = []
    for key, runs in measured.items():
        if runs.timing is not None:
            seconds, speed = (runs.timing[name] for name in TIMING)
            records.append((*key, seconds.sum(), speed.median()))
    return pd.DataFrame(records, columns=[*keys, *TIMING])
