"""Share of the seed inputs that succeeded, over the number of candidates."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.published import SUBJECT, read_published
from quantrift.study.results.figures.finished_figure import PUBLISHED, finished, in_rows, lines, steps
from quantrift.study.results.tables.published_numbers import filed
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import PublishedOfTools, ToolTarget

DIAMOND: Mapping[str, Any] = {"markeredgecolor": INK, "markersize": 6, "zorder": 5}
"""Marker of a published share."""


class Settings(ToolTarget, PublishedOfTools):
    """Share of the seed inputs that succeeded, by number of candidates; a panel a network, a line a compression."""


needs = asks(searches=Results.counts)
mistakes = protocol_checks.untargeted


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A step of a line is a generation in which searches succeeded, whole generations charged.

    All lines of a panel end at the longest search. Colours are compressions; of several tools each has its own dashes.
    A published share is a diamond of the line's colour at the right edge, as it gave searches seconds and
    not candidates.

    Raises:
        QuantriftError: there is nothing to draw.
    """
    found = disagreements.load(given.searched("searches"))
    published = read_published(given.published_file, SUBJECT)
    panels = list(found.groupby(["dataset", "model"], sort=False))
    colours = dict(zip(dict.fromkeys(found["compression"].tolist()), cycle(COLOURS), strict=False))
    styles = dict(zip(dict.fromkeys(found["tool"].tolist()), cycle(("-", "--", ":", "-.")), strict=False))
    any_published = False
    figure, axes = in_rows(len(panels), (3.4, 2.9), (0, 1.2), "success rate (%)", most=3, least=5.4)
    for axis, (network, own) in zip(axes, panels, strict=True):
        dataset, model = map(str, network)
        first, last = _ends(own)
        for names, of_line in own.groupby(["compression", "tool"], sort=False):
            compression, tool = map(str, names)
            places, shares = steps(of_line["fdi"].dropna().to_numpy(), len(of_line), first, last)
            axis.step(
                places,
                100 * shares,
                where="post",
                color=colours[compression],
                linestyle=styles[tool],
                linewidth=1.6,
                # A line at 0 or at 100 % lies on an edge, and is drawn over it.
                clip_on=False,
                zorder=3,
            )
            numbers = published.get(filed((dataset, model, compression), given.published_as), {})
            if (rate := numbers.get(f"{settings.published_as.get(tool, tool)}_sr")) is not None:
                any_published = True
                axis.plot([last], [100 * rate], "D", color=colours[compression], clip_on=False, **DIAMOND)
        axis.set(
            xscale="log",
            xlim=(first, last),
            ylim=(0, 100),
            xlabel="candidates",
            title=f"{given.named(dataset)}\n{given.named(model)}",
        )
        axis.xaxis.set_minor_formatter(mpl.NullFormatter())
    handles = lines(
        *((given.titles.get(name, name), {"color": colour}) for name, colour in colours.items()),
        *(
            (given.titles.get(tool, tool), {"color": INK, "linestyle": style} if len(styles) > 1 else {})
            for tool, style in styles.items()
        ),
        ("published", PUBLISHED if any_published else {}),
    )
    size = f"{distinct(found.groupby([*SUBJECT, 'tool']).size())} seed inputs"
    columns = max(2, min(len(panels) + 1, 4, len(handles)))
    return finished(figure, settings, given, size, handles=handles, columns=columns)


def _ends(searches: pd.DataFrame) -> tuple[float, float]:
    """Where the axis of a panel begins and ends: the first success or the shortest search, and the longest."""
    charged = searches["fdi"].fillna(searches["spent"])
    first, last = float(charged.min()), float(charged.max())
    return (first, last) if first < last else (first / 2, last)
