"""Published numbers and ours side by side, a row each, from finished tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from pydantic import Field

from quantrift.core.base.errors import QuantriftError, nearest
from quantrift.core.page import drawing as mpl
from quantrift.core.page import row_panels as panels
from quantrift.core.page.made_table import MadeTable, Row
from quantrift.core.page.row_panels import POINT, Extent, Mark
from quantrift.core.page.style import COLOURS, in_words
from quantrift.core.statistics.column import Column
from quantrift.study.results.targets import over_tables
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_tables import RowsTarget

OURS, THEIRS = "measured here", "published"
STYLES: Mapping[str, Mapping[str, Any]] = {
    OURS: {**POINT, "markeredgecolor": COLOURS[0], "markerfacecolor": COLOURS[0]},
    # Hollow and larger, so that both show where they are equal.
    THEIRS: {
        **POINT,
        "marker": "D",
        "markersize": 8,
        "markeredgecolor": COLOURS[5],
        "markerfacecolor": "none",
        "markeredgewidth": 1.4,
    },
}
HALF = 50
"""Percent above which the axis of a share goes on to 100."""


class Settings(RowsTarget):
    """Published numbers beside ours, a panel for each quantity."""

    kind: Literal["published_against_measured"]
    columns: list[str] = Field(default_factory=list)
    """Columns of ours that are shown; by default all that have published numbers beside them."""


needs = over_tables.needs
states = over_tables.states


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A row for each row of the tables that was run and has a published number, a panel for each quantity.

    Shares have a linear axis from 0 %, differences a linear one, anything else a logarithmic one. Rows of the
    papers that were not run, and rows that they do not have, are counted in the heading.

    Raises:
        QuantriftError: a column that is named has no published numbers beside it, or no table has any.
    """
    tables = over_tables.read_all(given)
    pairs = _pairs(settings, tables.values())
    rows: list[tuple[str, MadeTable, Row]] = []
    drawn, left_out = set(), [0, 0]
    for name, title, row in over_tables.chosen(settings, given, tables):
        table = tables[name]
        stated = [table.value(row, theirs.name) for _, theirs in pairs]
        if not table.was_run(row) or not any(value is not None for value in stated):
            left_out[table.was_run(row)] += 1
            continue
        # A tool may have a row for each that it is compared with, all with the same numbers of its own.
        own = [table.value(row, ours.name) for ours, _ in pairs]
        what = (name, *table.named(row, compared=False), *own, *stated)
        if what not in drawn:
            drawn.add(what)
            rows.append((title, table, row))
    if not rows:
        return in_words("No row that was run has a published number.", settings.title)
    sections = panels.arranged(rows, compared=False)
    shown = [(table, row) for _, table, row in chain(*sections.values())]
    pairs = [pair for pair in pairs if any(table.value(row, pair[1].name) is not None for table, row in shown)]
    figure, axes, places = panels.lay_out(sections, len(pairs))
    for axis, pair in zip(axes, pairs, strict=True):
        _panel(axis, pair, [(place, *one) for place, one in zip(places, shown, strict=True)])
    notes = {"not run": left_out[False], "without a published number": left_out[True]}
    panels.finish(figure, STYLES, settings.title, given.scale, notes)
    return figure


Pair = tuple[Column, Column]
"""A column of ours, and the published one that stands beside it."""


def _pairs(settings: Settings, tables: Iterable[MadeTable]) -> list[Pair]:
    declared: dict[str, Pair] = {}
    for table in tables:
        ours = {one.name: one for one in table.columns if one.group in ("measured", "statistics")}
        beside = [one for one in table.columns if one.group == "published" and one.beside in ours]
        declared |= {one.beside: (ours[one.beside], one) for one in beside if not one.is_words}
    for name in settings.columns:
        if name not in declared:
            raise QuantriftError(f"columns: no published numbers stand beside '{name}'; {nearest(name, declared)}")
    if not declared:
        raise QuantriftError(f"{', '.join(settings.tables)} have no published numbers; name other tables")
    return [declared[name] for name in settings.columns or declared]


def _panel(axis: mpl.Axes, pair: Pair, shown: Sequence[tuple[float, MadeTable, Row]]) -> None:
    ours, theirs = pair
    marks: dict[str, list[Mark]] = {OURS: [], THEIRS: []}
    for place, table, row in shown:
        value, published = table.value(row, ours.name), table.value(row, theirs.name)
        # Ours is drawn where the paper has a number to compare it with.
        if published is not None:
            marks[THEIRS].append(Mark(place, published))
            if value is not None:
                marks[OURS].append(Mark(place, value, table.value(row, ours.low), table.value(row, ours.high)))
    values = [end for one in chain(*marks.values()) for end in (one.value, one.low, one.high) if end is not None]
    share = ours.kind == "fraction"
    log = not share and ours.kind not in ("points", "effect") and min(values) > 0
    extent = Extent.of([0, *values, *([100] if max(values) > HALF else [])] if share else values, log=log)
    panels.scale(axis, extent)
    for label, own in marks.items():
        panels.draw(axis, own, extent, label, STYLES[label])
    axis.set_xlabel(panels.quantity(ours))
