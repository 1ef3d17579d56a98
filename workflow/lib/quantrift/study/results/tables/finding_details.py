"""Details of a table of findings: its cells, the compared values, and published numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import refuse
from quantrift.core.page.shared_columns import RATES, RUN_SEEDS, SUBJECT
from quantrift.core.statistics.column import Column, Kind, frame, key
from quantrift.core.statistics.published import SUBJECT as SUBJECT_KEYS
from quantrift.core.statistics.published import read_published
from quantrift.study.results.tables.finding_cells import SPREAD, Cell, Compared
from quantrift.study.results.tables.finished_table import Detail
from quantrift.study.results.targets.hypotheses import HypothesesTarget, Hypothesis, PublishedComparison

METRICS: Mapping[str, str] = {
    **{name: rate.label for name, rate in RATES.items()},
    "n_dii": "number of DIIs",
    SPREAD: SPREAD,
}
"""Display names of metrics."""
_KEYS = (
    key("finding", "Finding"),
    key("hypothesis", "Hypothesis"),
    key("metric", "Metric"),
    *SUBJECT,
    key("other_dataset", "Dataset of the second"),
    key("other_compression", "Compression of the second"),
)
_SIDES = {"first": "First", "second": "Second"}
_UNITS: Mapping[str, tuple[str, Kind]] = {"rate": ("", "fraction"), "number": (" number", "number")}
"""Rates are shown in percent, numbers of inputs and distances are not."""
_TESTED = (
    RUN_SEEDS,
    Column("p", "p for", "p", "One-sided p-value for the hypothesis."),
    Column("p_reverse", "p against", "p", "One-sided p-value for its reverse."),
    Column("p_min", "smallest p", "p", "Smallest p-value that one of the two directions could reach."),
    Column("a12", "A12", "effect", "Probability that the first side is larger, ties counted half."),
    Column("p_holm", "p for, Holm", "p", "Adjusted over all cells of the finding."),
    Column("p_reverse_holm", "p against, Holm", "p", "Likewise."),
    Column("verdict", "Verdict", "text"),
    Column("unadjusted", "Unadjusted", "text", "Verdict before adjustment."),
    Column("control", "Control", "text", "Whether the controls of the hypothesis hold; for cells with verdict for."),
)
_VALUES = (
    *_KEYS,
    *(
        column
        for side, label in _SIDES.items()
        for column in (
            Column(side, label, "text"),
            *(
                Column(f"{side}_{unit}{mean}", f"{label}{words}{mean.replace('_', ' ')}", kind)
                for unit, (words, kind) in _UNITS.items()
                for mean in ("", "_mean")
            ),
        )
    ),
)
_PUBLISHED = (
    *_KEYS,
    Column("file", "File", "text"),
    *(
        column
        for side, label in _SIDES.items()
        for column in (
            Column(side, label, "text"),
            Column(f"{side}_column", f"{label} column", "text"),
            *(
                Column(f"{side}_{unit}", f"{label}{words}", kind, group="published")
                for unit, (words, kind) in _UNITS.items()
            ),
        )
    ),
    Column("verdict", "Verdict", "text", group="published"),
)


@dataclass(frozen=True)
class PublishedCell(Compared):
    """Two published numbers that a hypothesis compares."""

    file: str
    columns: tuple[str, str]
    """Column of the side that should be larger, and of the other."""
    verdict: str
    """``for``, ``against`` or ``equal``."""


def published_cells(hypotheses: Mapping[str, Hypothesis], files: Sequence[Path]) -> Iterator[PublishedCell]:
    """Every pair of published numbers that a hypothesis compares.

    Args:
        hypotheses: label -> hypothesis.
        files: those that the hypotheses name.

    Raises:
        QuantriftError: a file has no number in a column that a hypothesis names.
    """
    found = {file.name: read_published(file, SUBJECT_KEYS) for file in files}
    for label, one in hypotheses.items():
        for published in one.published:
            new = list(_of(label, one, published, found[published.file]))
            refuse(
                (
                    not new,
                    f"hypothesis {label}: {published.file} has no rows with '{published.larger.column}' and "
                    f"'{published.smaller.column}'; correct the columns",
                )
            )
            yield from new


def _of(
    label: str, one: Hypothesis, published: PublishedComparison, rows: Mapping[tuple[str, ...], Mapping[str, float]]
) -> Iterator[PublishedCell]:
    columns = published.larger.column, published.smaller.column
    for (dataset, model, compression), numbers in rows.items():
        other = (one.smaller.dataset or dataset, model, one.smaller.compression or compression)
        values = numbers.get(columns[0], math.nan), rows.get(other, {}).get(columns[1], math.nan)
        larger, smaller = values[0] / published.larger.of, values[1] / published.smaller.of
        belongs = one.larger.dataset in (None, dataset) and one.larger.compression in (None, compression)
        # A row without a dataset is the mean of all.
        if dataset and belongs and not math.isnan(larger + smaller):
            verdict = "equal" if larger == smaller else "for" if larger > smaller else "against"
            about = label, published.metric, (dataset, model, compression), other
            yield PublishedCell(*about, larger, smaller, published.file, columns, verdict)


def details(found: Sequence[Cell], published: Sequence[PublishedCell], settings: HypothesesTarget) -> dict[str, Detail]:
    """Numbers beside a table of findings, by the endings of their files.

    ``cells`` and ``values`` have a row for each hypothesis, metric and subject. In ``cells``, ``larger`` and
    ``smaller`` are means of the tools' medians over run seeds (fractions, counts in ``n_dii``, distances in
    ``spread``), ``larger_mean`` and ``smaller_mean`` means over run seeds; ``values`` has the same, rates apart from
    numbers, for people. ``published`` has a row for each pair of numbers of the papers.
    """
    values, papers = ([_what(cell, settings) | _sides(cell, settings) for cell in of] for of in (found, published))
    return {
        "cells": Detail(
            "Cells",
            frame(
                [
                    _what(cell, settings)
                    | vars(cell)
                    | {name: getattr(cell, name) for name in ("verdict", "unadjusted")}
                    | dict(zip(("larger_mean", "smaller_mean"), cell.means, strict=True))
                    | vars(cell.evidence)
                    for cell in found
                ],
                (
                    *_KEYS,
                    Column("larger", "First", "number"),
                    Column("smaller", "Second", "number"),
                    Column("larger_mean", "First mean", "number"),
                    Column("smaller_mean", "Second mean", "number"),
                    *_TESTED,
                ),
            ),
            (*_KEYS, *_TESTED),
        ),
        "values": Detail("Values of the cells", frame(values, _VALUES), _VALUES),
        "published": Detail("Published numbers", frame(papers, _PUBLISHED), _PUBLISHED),
    }


def _what(cell: Compared, settings: HypothesesTarget) -> dict[str, Any]:
    """Cells that name hypothesis, metric and the subjects of both sides."""
    found = (settings.claims[cell.label].finding, cell.label, cell.metric, *cell.subject, cell.other[0], cell.other[2])
    return dict(zip((column.name for column in _KEYS), found, strict=True))


def _sides(cell: Compared, settings: HypothesesTarget) -> dict[str, Any]:
    """Names and values of the side that should be larger and of the other, rates apart from numbers."""
    unit = "rate" if cell.metric in RATES else "number"
    one = settings.spreads.get(cell.label) or settings.hypotheses[cell.label]
    first, second = (side if isinstance(side, str) else side.name for side in (one.larger, one.smaller))
    found = {"first": first, "second": second, f"first_{unit}": cell.larger, f"second_{unit}": cell.smaller}
    if isinstance(cell, Cell):
        found |= {f"{side}_{unit}_mean": mean for side, mean in zip(_SIDES, cell.means, strict=True)}
    if isinstance(cell, PublishedCell):
        first, second = cell.columns
        found |= {"first_column": first, "second_column": second, "file": cell.file, "verdict": cell.verdict}
    return found
