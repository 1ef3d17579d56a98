"""Rows of tables with a panel beside them for each quantity: names on the left, marks with intervals in panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from quantrift.core.base.grouped import grouped
from quantrift.core.page import drawing as mpl
from quantrift.core.page.made_table import MadeTable, Row
from quantrift.core.page.style import INK
from quantrift.core.statistics.column import Column

BAND = "#E8E8E8"
"""Background of a heading."""
ROW = 0.23
"""Height of a row, in inches."""
PANEL, ALONE = 2.7, 5.0
"""Width of a panel beside others, and of one by itself, in inches."""
PART = " · "
"""Between the parts of a heading."""
TICKS = 6
"""Numbers on a logarithmic axis, at most."""
CHARACTER, NAME = 0.072, 0.078
"""Width of a character of a heading and of a row's name, in inches, with some room."""


@dataclass(frozen=True)
class Mark:
    """A value with its interval, of one row."""

    place: float
    """Of the row, from the top."""
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Extent:
    """Part of an axis that holds all finite values; what lies beyond is drawn as an arrow at its edge."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, values: Iterable[float | None], *, log: bool) -> Extent:
        """The smallest and largest value with room beside them; of a logarithmic axis, of those above 0."""
        held = [one for one in values if one is not None and math.isfinite(one) and (one > 0 or not log)] or [1.0]
        ends = [math.log(one) for one in (min(held), max(held))] if log else [min(held), max(held)]
        room = 0.06 * (ends[1] - ends[0]) or 0.5
        low, high = ends[0] - room, ends[1] + room
        return cls(math.exp(low), math.exp(high), log) if log else cls(low, high, log)

    def clipped(self, value: float) -> float:
        """The value, or the edge next to it."""
        return min(max(value, self.low), self.high)

    def holds(self, value: float) -> bool:
        """Whether a value lies within."""
        return self.low <= value <= self.high


Sections = Mapping[str, Sequence[tuple[str, MadeTable, Row]]]
"""Heading, which may be empty -> the rows below it, from the top: name, table and row."""


def arranged(rows: Iterable[tuple[str, MadeTable, Row]], *, compared: bool) -> Sections:
    """Rows below their subjects, in the order in which these come first.

    Args:
        rows: title of the table, empty where there is but one; table and row.
        compared: whether names say what a row is compared with.
    """
    return grouped(
        (": ".join(filter(None, (title, PART.join(above)))), (name, table, row))
        for title, table, row in rows
        for *above, name in [table.named(row, compared=compared)]
    )


def lay_out(sections: Sections, panels: int) -> tuple[mpl.Figure, list[mpl.Axes], list[float]]:
    """A figure with rows under headings.

    Args:
        sections: the rows.
        panels: number of panels, side by side.

    Returns:
        The figure, its axes, and the place of each row: its y.
    """
    places: list[float] = []
    headings: dict[str, float] = {}
    at = 0.0
    for heading, rows in sections.items():
        if heading:
            headings[heading] = at
            at += 1
        places += [at + number for number in range(len(rows))]
        at += len(rows)
    width = max(PANEL * panels if panels > 1 else ALONE, CHARACTER * max(map(len, headings), default=0))
    names = [name for rows in sections.values() for name, *_ in rows]
    figure = mpl.Figure(figsize=(NAME * max(map(len, names)) + width, ROW * at + 1.7), layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False, sharey=True)[0].tolist()
    for axis in axes:
        axis.set_ylim(at - 0.4, -0.6)
        axis.grid(visible=True, axis="x")
        axis.grid(visible=False, axis="y")
        axis.tick_params(axis="y", length=0)
        axis.patch.set_visible(False)
        # A long heading goes on over the panels to the right.
        axis.spines["left"].set_visible(axis is axes[0])
        for place in headings.values():
            band(axis, place)
    axes[0].set_yticks(places, names)
    axes[0].set_zorder(1)
    for heading, place in headings.items():
        write_heading(axes[0], place, heading)
    return figure, axes, places


def band(axis: mpl.Axes, place: float) -> None:
    """The background of a heading in one panel."""
    axis.axhspan(place - 0.45, place + 0.45, color=BAND, linewidth=0, zorder=1.5)


def write_heading(axis: mpl.Axes, place: float, heading: str) -> None:
    """Words of a heading, from the left edge of a panel; they take no room in the layout."""
    where: Any = ("axes fraction", "data")
    text = axis.annotate(heading, (0, place), (4, 0), where, "offset points", va="center", fontsize=8)
    text.set(fontweight="bold", in_layout=False)


def fill(
    axis: mpl.Axes,
    column: Column,
    marks: Mapping[str, Sequence[Mark]],
    styles: Mapping[str, Mapping[str, Any]],
    also: Iterable[float],
    *,
    log: bool,
) -> None:
    """Draw the values of a column.

    Args:
        axis: of its panel.
        column: whose label stands below.
        marks: kind of a mark -> those of the kind.
        styles: kind of a mark -> how it is drawn.
        also: values that the axis holds beside theirs.
        log: whether it is logarithmic.
    """
    values = [end for one in chain(*marks.values()) for end in (one.value, one.low, one.high)]
    extent = Extent.of([*also, *values], log=log)
    _scale(axis, extent)
    for label, own in marks.items():
        _draw(axis, own, extent, label, styles[label])
    axis.set_xlabel(quantity(column))


def _scale(axis: mpl.Axes, extent: Extent) -> None:
    """Set limits and scale of an axis; numbers on a logarithmic one are plain."""
    axis.set_xscale("log" if extent.log else "linear")
    axis.set_xlim(extent.low, extent.high)
    if extent.log:
        powers = range(math.floor(math.log10(extent.low)), math.ceil(math.log10(extent.high)) + 1)
        for parts in ((1, 2, 5), (1, 3), (1,)):
            ticks = [part * 10.0**power for power in powers for part in parts if extent.holds(part * 10.0**power)]
            if len(ticks) <= TICKS:
                break
        ticks = ticks[:: -(-len(ticks) // TICKS) or 1]
        axis.set_xticks(ticks, [f"{tick:,.10g}" for tick in ticks])
        axis.minorticks_off()


def _draw(axis: mpl.Axes, marks: Sequence[Mark], extent: Extent, label: str, style: Mapping[str, Any]) -> None:
    """Draw marks of one kind: intervals as lines, values as markers, arrows at the edge of what lies beyond it."""
    colour = style["markeredgecolor"]
    ends = [(one.place, one.low, one.high) for one in marks if one.low is not None and one.high is not None]
    axis.hlines(
        [place for place, _, _ in ends],
        [extent.clipped(low) for _, low, _ in ends],
        [extent.clipped(high) for _, _, high in ends],
        color=colour,
        linewidth=1.3,
        label=f"interval, {label}",
        zorder=2,
    )
    if held := [one for one in marks if extent.holds(one.value)]:
        axis.plot([one.value for one in held], [one.place for one in held], label=label, clip_on=False, **style)
    beyond = [(one.place, one.value) for one in marks] + [
        (place, end) for place, low, high in ends for end in (low, high)
    ]
    for side, edge in (("<", extent.low), (">", extent.high)):
        if outside := [place for place, value in beyond if (value < edge if side == "<" else value > edge)]:
            name = f"beyond, {label}"
            axis.plot([edge] * len(outside), outside, side, color=colour, markersize=5, clip_on=False, label=name)


POINT: Mapping[str, Any] = {
    "linestyle": "none",
    "marker": "o",
    "markersize": 5,
    "markeredgecolor": INK,
    "markerfacecolor": INK,
    "zorder": 3,
}
"""A filled mark; kinds of figures change what tells theirs apart."""


def finish(
    figure: mpl.Figure,
    styles: Mapping[str, Mapping[str, Any]],
    title: str,
    given_scale: str,
    left_out: Mapping[str, int],
) -> None:
    """Write below a figure how its marks are drawn, and above it its title, its scale and how much it leaves out.

    Args:
        figure: with all its panels.
        styles: kind of a mark -> how it is drawn.
        title: of the target.
        given_scale: id of the configuration.
        left_out: why rows are left out -> number of them.
    """
    handles = [mpl.Line2D([], [], label=label, **style) for label, style in styles.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    notes = [f"{number} row{'s' * (number != 1)} {why}" for why, number in left_out.items() if number]
    figure.suptitle("\n".join([title, "; ".join([f"scale: {given_scale}", *notes])]), fontsize=10)


def quantity(column: Column) -> str:
    """Label of the axis of a column: what it is about, its label and its unit."""
    unit = column.unit and f" ({column.unit})"
    return f"{column.part and f'{column.part}: '}{column.label}{unit}"
