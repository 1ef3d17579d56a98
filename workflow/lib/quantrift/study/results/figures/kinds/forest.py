"""Forest plot: effect sizes of the rows of finished tables, with their intervals and the line of no effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from pydantic import Field

from quantrift.core.base.errors import check_name, refuse
from quantrift.core.base.grouped import grouped
from quantrift.core.page import drawing as mpl
from quantrift.core.page import row_panels as panels
from quantrift.core.page.made_table import MadeTable, Row
from quantrift.core.page.row_panels import POINT, Mark
from quantrift.core.page.style import COLOURS, INK, in_words
from quantrift.core.statistics.column import Column
from quantrift.core.statistics.statistics import ALPHA
from quantrift.study.results.targets import over_tables
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_tables import RowsTarget
from quantrift.study.results.targets.over_tables import needs as needs
from quantrift.study.results.targets.over_tables import states as states

_BLUE = {**POINT, "markeredgecolor": COLOURS[0], "markerfacecolor": COLOURS[0]}
_HOLLOW = {**_BLUE, "markerfacecolor": "white"}
STYLES: Mapping[str, Mapping[str, Any]] = {
    "significant at 5 %, adjusted": _BLUE,
    "not significant": _HOLLOW,
    "95 % interval beside the line": _BLUE,
    "95 % interval across the line": _HOLLOW,
    "no adjusted p": {**_BLUE, "marker": "x", "markeredgewidth": 1.5},
}
"""Kind of a mark -> how it is drawn. Filled is what differs from no effect."""
PAIRS = (tuple(STYLES)[:2], tuple(STYLES)[2:4])
"""Filled and hollow: of effects with a test, and of those without."""


class Settings(RowsTarget):
    """Effect sizes of the rows of tables, a panel for each effect."""

    effects: list[str] = Field(default_factory=list)
    """Columns that are shown, effect sizes all; by default those that have an interval."""


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A row for each row of the tables with an effect, a panel for each effect, in the columns' own order or as named.

    A ratio has a logarithmic axis, anything else a linear one. Rows that were not run, and rows without an effect, as
    those of a baseline, are counted in the heading.

    Raises:
        QuantriftError: a column that is named is no effect size of any table, or the tables have none.
    """
    tables = over_tables.read_all(given)
    effects = _effects(settings, tables.values())
    found = [(title, tables[name], row) for name, title, row in over_tables.chosen(settings, given, tables)]
    ran = [(title, table, row) for title, table, row in found if table.was_run(row)]
    rows = [one for one in ran if any(one[1].value(one[2], effect.name) is not None for effect in effects)]
    if not rows:
        return in_words("No row of the tables has an effect.", settings.title)
    sections = panels.arranged(rows, compared=True)
    figure, axes, places = panels.lay_out(sections, len(effects))
    shown = [(place, table, row) for place, (_, table, row) in zip(places, chain(*sections.values()), strict=True)]
    kinds = set().union(*(_panel(axis, effect, shown) for axis, effect in zip(axes, effects, strict=True)))
    # Both of a kind, as a filled mark says more where a hollow one is explained.
    kinds |= {label for pair in PAIRS if kinds & {*pair} for label in pair}
    panels.finish(
        figure,
        {label: style for label, style in STYLES.items() if label in kinds},
        settings.title,
        given.scale,
        {"not run": len(found) - len(ran), "without an effect": len(ran) - len(rows)},
    )
    return figure


def _effects(settings: Settings, tables: Iterable[MadeTable]) -> list[Column]:
    """The columns that are shown."""
    declared = {one.name: one for table in tables for one in table.columns if one.no_effect is not None}
    for name in settings.effects:
        check_name(f"effects: '{name}' is no effect size of these tables", name, declared)
    named = settings.effects or [name for name, one in declared.items() if one.low]
    refuse((not named, f"{', '.join(settings.tables)} have no effect size with an interval; name other tables"))
    return [declared[name] for name in named]


def _panel(axis: mpl.Axes, effect: Column, shown: Sequence[tuple[float, MadeTable, Row]]) -> set[str]:
    """Draw an effect; returns the kinds of its marks."""
    line = 0.0 if effect.no_effect is None else effect.no_effect
    kinds = grouped(
        (_kind(mark, line, effect, table.value(row, effect.p)), mark)
        for place, table, row in shown
        if (value := table.value(row, effect.name)) is not None
        for mark in [Mark(place, value, table.value(row, effect.low), table.value(row, effect.high))]
    )
    axis.axvline(line, color=INK, linewidth=0.8, linestyle="--", zorder=1.2)
    panels.fill(axis, effect, kinds, STYLES, [line], log=line == 1)
    return {*kinds}


def _kind(mark: Mark, line: float, effect: Column, p: float | None) -> str:
    """By the adjusted p-value where the effect has a test, else by the interval."""
    *_, untested = STYLES
    (significant, other), (beside, across) = PAIRS
    if effect.p and p is not None:
        return significant if p < ALPHA else other
    if effect.p or mark.low is None or mark.high is None:
        return untested
    return across if mark.low <= line <= mark.high else beside
