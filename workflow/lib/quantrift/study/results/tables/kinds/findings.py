"""Tests of a paper's findings, counted over subjects; means over several subjects never count."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from quantrift.core.statistics.column import SCALE, Column, frame, key
from quantrift.core.statistics.statistics import ALPHA, holm
from quantrift.study.results.tables.answer_words import Cells, Words
from quantrift.study.results.tables.comparison_notes import NO_TEST
from quantrift.study.results.tables.finding_cells import Cell, adjusted, cells, families
from quantrift.study.results.tables.finding_details import METRICS, details
from quantrift.study.results.tables.finding_published import published_cells
from quantrift.study.results.tables.finding_series import Measured, Sides, load
from quantrift.study.results.tables.finding_spread import spreads
from quantrift.study.results.tables.finding_summary import Summary, summaries
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.hypotheses import HypothesesTarget, Hypothesis, Side, mistakes
from quantrift.study.results.targets.results import Files, Results

__all__ = ["COLUMNS", "DETAILS", "Settings", "answer", "make", "mistakes", "needs"]


class Settings(HypothesesTarget):
    """Tests of a paper's findings: each is a hypothesis fixed in advance, counted over subjects."""

    kind: Literal["findings"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Metrics of all searches, by the experiments that they belong to, and tables of distances."""
    metrics = {
        (experiment, *searched): files
        for experiment in settings.experiments
        for searched, files in results.metrics(settings, [experiment]).items()
    }
    return {"metrics": metrics, "distances": results.tables([one.distances for one in settings.spreads.values()])}


DETAILS = ("cells", "values", "published")
COLUMNS = (
    key("finding", "Finding"),
    key("claim", "Hypothesis", "Hypothesis that is tested on each dataset, network and compression by itself.", "text"),
    key("metric", "Metric"),
    key("sentence", "In the paper", kind="text"),
    Column("cells", "Cells", "count", "Datasets, networks and compressions on which the hypothesis is tested."),
    Column("cells_for", "For", "count", "Cells whose one-sided test is significant at 5 %."),
    Column("cells_against", "Against", "count", "Cells whose one-sided test of the reverse is significant at 5 %."),
    Column(
        "cells_undecided", "Undecided", "count", "Cells in which neither test is significant, or that were not run."
    ),
    Column("cells_not_run", "Of them not run", "count"),
    Column("cells_for_unadjusted", "For, unadjusted", "count", "Before Holm's correction over the finding."),
    Column("cells_against_unadjusted", "Against, unadjusted", "count", "Before Holm's correction over the finding."),
    Column(
        "cells_vanishing",
        "Vanishing",
        "count",
        "Cells that speak for the hypothesis although one of its controls does not hold.",
    ),
    Column(
        "published_cells_for",
        "For",
        "count",
        "Published differences with the sign that the hypothesis claims.",
        "published",
    ),
    Column("published_cells_against", "Against", "count", "Published differences with the reverse sign.", "published"),
    Column("published_cells_equal", "Equal", "count", "Published numbers without a difference.", "published"),
    Column("verdict", "Verdict", "text", "Summary of all cells."),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each hypothesis and metric, and beside it one for each subject besides.

    A cell is a hypothesis on one subject: ``for`` where the one-sided test over run seeds is significant at 5 % after
    Holm's adjustment over all cells of the finding, ``against`` where that of the reverse is, else ``undecided``. Of
    the papers' numbers only the sign of each published difference is known.

    Raises:
        QuantriftError: a file of the paper's numbers has no numbers that a hypothesis names.
    """
    hypotheses = settings.hypotheses
    metrics: dict[str, list[Path]] = {}
    for (experiment, *_), files in given.files["metrics"].items():
        metrics.setdefault(experiment, []).extend(files)
    distances = {name: file for (name,), file in given.one("distances").items()}
    measured = {
        label: (_load(one, one.larger, metrics), _load(one, one.smaller, metrics)) for label, one in hypotheses.items()
    }
    found = [cell for label, one in hypotheses.items() for cell in cells(label, one, measured[label], given.datasets)]
    found += [cell for label, one in settings.spreads.items() for cell in spreads(label, one, distances[one.distances])]
    found = adjusted(found, settings.claims, hypotheses)
    rows = summaries(settings, found, published_cells(hypotheses, given.published))
    behind = details(
        [cell for row in rows for cell in row.cells], [cell for row in rows for cell in row.published], settings
    )
    return Table(
        frame((_row(row, settings) | {"scale": given.scale} for row in rows), COLUMNS),
        COLUMNS,
        _notes(settings, found, measured, given),
        details=behind,
        names={**{label: one.claim for label, one in settings.claims.items()}, **METRICS},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The verdict on each finding, in its first metric."""
    first = {row["finding"]: row for row in reversed(rows)}
    return [
        f"Finding {row['finding']} ({row['claim']}, {words.name(row['metric'])}): {row['verdict']}; "
        f"{row['cells_for']} of {row['cells']} cells for it, {row['cells_against']} against it."
        for row in reversed(first.values())
    ]


def _load(one: Hypothesis, side: Side, metrics: Mapping[str, Sequence[Path]]) -> Measured:
    """The searches of a side."""
    return load(list(dict.fromkeys(file for name in one.experiments(side) for file in metrics.get(name, ()))))


def _row(row: Summary, settings: Settings) -> dict[str, Any]:
    one = settings.claims[row.label]
    found = {
        "finding": one.finding,
        "claim": one.claim,
        "metric": row.metric,
        "sentence": one.sentence,
        "cells": len(row.cells),
        **{f"cells_{verdict}": row.count(verdict) for verdict in ("for", "against", "undecided")},
        "cells_not_run": row.not_run,
        **{f"cells_{verdict}_unadjusted": row.count(verdict, unadjusted=True) for verdict in ("for", "against")},
        "cells_vanishing": row.vanishing,
        "verdict": row.verdict,
    }
    if row.published:
        found |= {f"published_cells_{verdict}": row.count_published(verdict) for verdict in ("for", "against", "equal")}
    return found


def _notes(settings: Settings, found: Sequence[Cell], measured: Mapping[str, Sides], given: Given) -> list[str]:
    """Notes: scale, run seeds, inputs, and the rule for verdicts."""
    tables = [table for sides in measured.values() for side in sides for table in side.values()]
    lines = [
        f"Scale: {given.scale}. Run seeds: {_all({len(table) for table in tables})}. "
        f"Inputs of each run seed: {_all({int(n) for table in tables for n in table['inputs'].unique()})}.",
        "A cell is a hypothesis on one dataset, network and compression in one metric. It speaks for the hypothesis "
        f"where the one-sided test over run seeds is significant at {100 * ALPHA:g} % after Holm's adjustment over "
        "all cells of its finding, those of controls apart. It speaks against the hypothesis where the test of the "
        "reverse is significant (adjusted likewise). Otherwise it is undecided: too few run seeds, no clear "
        "difference, or not run. Tests are signed-rank tests (Pratt) where both sides start from the same inputs, "
        "otherwise rank-sum tests.",
        "The hypothesis says that the first of two values is the larger one. Values are means of the tools' medians "
        "over run seeds, with the means over run seeds beside them. Rates are in percent, numbers are those of DIIs, "
        "and spread is the mean distance between scaled vectors.",
    ]
    lowest = [
        p
        for places in families(found, settings.claims)
        for p in holm([found[place].evidence.p_min for place in places])
        if p is not None
    ]
    if lowest:
        lines.append(
            f"This table has {len(lowest)} tests in each direction. If each reached the smallest p its run seeds "
            f"allow, {sum(p < ALPHA for p in lowest)} of them would be significant after adjustment."
        )
    else:
        lines.append(NO_TEST)
    if given.published:
        lines.append(
            "Published counts are the signs of published differences; no test of them is possible. Published in "
            f"{', '.join(file.name for file in given.published)}."
        )
    return lines


def _all(numbers: set[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"
