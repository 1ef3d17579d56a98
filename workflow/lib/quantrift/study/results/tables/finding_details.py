"""Details of a table of findings: its cells, the compared values, and published numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from quantrift.core.page.shared_columns import RATES, RUN_SEEDS, SUBJECT
from quantrift.core.statistics.column import Column, Kind, frame, key
from quantrift.study.results.tables.finding_cells import Cell
from quantrift.study.results.tables.finding_published import PublishedCell
from quantrift.study.results.tables.finding_spread import SPREAD
from quantrift.study.results.tables.finished_table import Detail
from quantrift.study.results.targets.hypotheses import HypothesesTarget

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
_MEANS = {"": "", "_mean": " mean"}

_COMPARED = tuple(
    Column(name, label, "number")
    for name, label in (
        ("larger", "First"),
        ("smaller", "Second"),
        ("larger_mean", "First mean"),
        ("smaller_mean", "Second mean"),
    )
)
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
                Column(f"{side}_{unit}{mean}", f"{label}{words}{of}", kind)
                for unit, (words, kind) in _UNITS.items()
                for mean, of in _MEANS.items()
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


def details(found: Sequence[Cell], published: Sequence[PublishedCell], settings: HypothesesTarget) -> dict[str, Detail]:
    """Numbers beside a table of findings, by the endings of their files.

    ``cells`` and ``values`` have a row for each hypothesis, metric and subject. In ``cells``, ``larger`` and
    ``smaller`` are means of the tools' medians over run seeds (fractions, counts in ``n_dii``, distances in
    ``spread``), ``larger_mean`` and ``smaller_mean`` means over run seeds; ``values`` has the same, rates apart from
    numbers, for people. ``published`` has a row for each pair of numbers of the papers.
    """
    tested = frame(({**_what(cell, settings), **_cell(cell)} for cell in found), (*_KEYS, *_COMPARED, *_TESTED))
    values = frame(({**_what(cell, settings), **_sides(cell, settings)} for cell in found), _VALUES)
    papers = frame(({**_what(cell, settings), **_published(cell, settings)} for cell in published), _PUBLISHED)
    return {
        "cells": Detail("Cells", tested, (*_KEYS, *_TESTED)),
        "values": Detail("Values of the cells", values, _VALUES),
        "published": Detail("Published numbers", papers, _PUBLISHED),
    }


def _what(cell: Cell | PublishedCell, settings: HypothesesTarget) -> dict[str, Any]:
    """Cells that name hypothesis, metric and the subjects of both sides."""
    other_dataset, _, other_compression = cell.other
    found = (
        settings.claims[cell.label].finding,
        cell.label,
        cell.metric,
        *cell.subject,
        other_dataset,
        other_compression,
    )
    return dict(zip((column.name for column in _KEYS), found, strict=True))


def _cell(cell: Cell) -> dict[str, Any]:
    larger_mean, smaller_mean = cell.means
    return {
        **{"larger": cell.larger, "smaller": cell.smaller, "larger_mean": larger_mean, "smaller_mean": smaller_mean},
        **asdict(cell.evidence),
        **{name: getattr(cell, name) for name in ("p_holm", "p_reverse_holm", "verdict", "unadjusted", "control")},
    }


def _sides(cell: Cell, settings: HypothesesTarget) -> dict[str, Any]:
    found: dict[str, Any] = dict(zip(_SIDES, _names(cell.label, settings), strict=True))
    for side, value, mean in zip(_SIDES, (cell.larger, cell.smaller), cell.means, strict=True):
        found |= {f"{side}_{_unit(cell.metric)}": value, f"{side}_{_unit(cell.metric)}_mean": mean}
    return found


def _published(cell: PublishedCell, settings: HypothesesTarget) -> dict[str, Any]:
    found: dict[str, Any] = {"file": cell.file, "verdict": cell.verdict}
    found |= dict(zip(_SIDES, _names(cell.label, settings), strict=True))
    for side, column, value in zip(_SIDES, cell.columns, (cell.larger, cell.smaller), strict=True):
        found |= {f"{side}_column": column, f"{side}_{_unit(cell.metric)}": value}
    return found


def _unit(metric: str) -> str:
    return "rate" if metric in RATES else "number"


def _names(label: str, settings: HypothesesTarget) -> tuple[str, str]:
    """Names of the side that should be larger and of the other."""
    if label in settings.spreads:
        return settings.spreads[label].larger, settings.spreads[label].smaller
    larger, smaller = settings.hypotheses[label].sides
    return larger.name, smaller.name
