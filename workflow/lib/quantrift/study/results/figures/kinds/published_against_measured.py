"""Published numbers and ours side by side, a row each, from finished tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from pydantic import Field

from quantrift.core.base.errors import check_name, refuse
from quantrift.core.page import drawing as mpl
from quantrift.core.page import row_panels as panels
from quantrift.core.page.made_table import MadeTable, Row
from quantrift.core.page.row_panels import POINT, Mark
from quantrift.core.page.style import COLOURS, in_words
from quantrift.core.statistics.column import Column
from quantrift.study.results.targets import over_tables
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_tables import RowsTarget
from quantrift.study.results.targets.over_tables import needs as needs
from quantrift.study.results.targets.over_tables import states as states

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


class Settings(RowsTarget):
    """Published numbers beside ours, a panel for each quantity."""

    columns: list[str] = Field(default_factory=list)
    """Columns of ours that are shown; by default all that have published numbers beside them."""


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A row for each row of the tables that was run and has a published number, a panel for each quantity.

    Shares have a linear axis from 0 %, differences a linear one, anything else a logarithmic one. Rows of the
    papers that were not run, and rows that they do not have, are counted in the heading.

    Raises:
        QuantriftError: a column that is named has no published numbers beside it, or no table has any.
    """
    tables = over_tables.read_all(given)
    pairs = _pairs(settings, tables.values())
    found = [(name, title, tables[name], row) for name, title, row in over_tables.chosen(settings, given, tables)]
    ran = [one for one in found if one[2].was_run(one[3])]
    stated = [one for one in ran if any(one[2].value(one[3], theirs.name) is not None for _, theirs in pairs)]
    if not stated:
        return in_words("No row that was run has a published number.", settings.title)
    # A tool may have a row for each that it is compared with, all with the same numbers of its own.
    rows: dict[tuple[Any, ...], tuple[str, MadeTable, Row]] = {}
    for name, title, table, row in stated:
        numbers = (table.value(row, one.name) for one in chain(*pairs))
        rows.setdefault((name, *table.named(row, compared=False), *numbers), (title, table, row))
    sections = panels.arranged(rows.values(), compared=False)
    shown = [(table, row) for _, table, row in chain(*sections.values())]
    pairs = [pair for pair in pairs if any(table.value(row, pair[1].name) is not None for table, row in shown)]
    figure, axes, places = panels.lay_out(sections, len(pairs))
    for axis, pair in zip(axes, pairs, strict=True):
        _panel(axis, pair, [(place, *one) for place, one in zip(places, shown, strict=True)])
    panels.finish(
        figure,
        STYLES,
        settings.title,
        given.scale,
        {"not run": len(found) - len(ran), "without a published number": len(ran) - len(stated)},
    )
    return figure


Pair = tuple[Column, Column]
"""A column of ours, and the published one that stands beside it."""


def _pairs(settings: Settings, tables: Iterable[MadeTable]) -> list[Pair]:
    declared: dict[str, Pair] = {}
    for table in tables:
        ours = {one.name: one for one in table.columns if one.group in ("measured", "statistics")}
        declared |= {
            one.beside: (ours[one.beside], one)
            for one in table.columns
            if one.group == "published" and one.beside in ours and not one.is_words
        }
    for name in settings.columns:
        check_name(f"columns: no published numbers stand beside '{name}'", name, declared)
    refuse((not declared, f"{', '.join(settings.tables)} have no published numbers; name other tables"))
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
    # The axis of a share that is large goes on to 100.
    also = (0, *([100] if max(values) > 50 else [])) if share else ()
    panels.fill(axis, ours, marks, STYLES, also, log=log)
