"""Share of the seed inputs that succeeded, over the number of candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Literal

import numpy as np
import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page.panel_grid import Grid, steps
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.published import SUBJECT, published_dataset, read_published
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.protocol_checks import Whole, goal, one_protocol
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import PublishedOfTools, ToolTarget

COLUMNS = 3
"""Panels side by side at most."""
STYLES = ("-", "--", ":", "-.")
"""Line style of each tool."""


class Settings(ToolTarget, PublishedOfTools):
    """Share of the seed inputs that succeeded, by number of candidates; a panel a network, a line a compression."""

    kind: Literal["success_curves"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Counts of every single search."""
    return {"searches": results.counts(settings)}


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """All must search under one protocol without a wanted class."""
    yield from one_protocol(settings, whole)
    yield from goal(settings, whole, targeted=False)


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
    styles = dict(zip(dict.fromkeys(found["tool"].tolist()), cycle(STYLES), strict=False))
    any_published = False
    grid = Grid(len(panels), COLUMNS)
    figure, axes = grid.drawn((max(5.4, 3.4 * grid.width), 2.9 * grid.height + 1.2), "success rate (%)")
    for axis, ((dataset, model), own) in zip(axes, panels, strict=True):
        first, last = _ends(own)
        for line, of_line in own.groupby(["compression", "tool"], sort=False):
            compression, tool = map(str, line)
            colour, style = colours[compression], styles[tool]
            places, shares = _steps(of_line, first, last)
            axis.step(places, 100 * shares, where="post", color=colour, linestyle=style, linewidth=1.6)
            key = (published_dataset(str(dataset), given.datasets), str(model), compression)
            rate = published.get(key, {}).get(f"{settings.published_as.get(tool, tool)}_sr")
            if rate is not None:
                any_published = True
                axis.plot(
                    [last],
                    [100 * rate],
                    "D",
                    color=colour,
                    markeredgecolor=INK,
                    markersize=6,
                    clip_on=False,
                    zorder=5,
                )
        axis.set(xscale="log", xlim=(first, last), ylim=(0, 100), xlabel="candidates")
        axis.xaxis.set_minor_formatter(mpl.NullFormatter())
        axis.set_title(f"{given.named(str(dataset))}\n{given.named(str(model))}")
    handles = [mpl.Line2D([], [], color=colour, label=given.titles.get(name, name)) for name, colour in colours.items()]
    if len(styles) > 1:
        handles += [
            mpl.Line2D([], [], color=INK, linestyle=style, label=given.titles.get(tool, tool))
            for tool, style in styles.items()
        ]
    if any_published:
        mark = mpl.Line2D([], [], marker="D", color="white", markeredgecolor=INK, linestyle="none", label="published")
        handles.append(mark)
    figure.legend(handles=handles, loc="outside lower center", ncols=max(2, min(grid.width + 1, len(handles))))
    inputs = sorted(found.groupby([*SUBJECT, "tool"]).size().unique())
    heading = f"{settings.title}\n{', '.join(map(str, inputs))} seed inputs; scale: {given.scale}"
    figure.suptitle(heading, fontsize=10)
    return figure


def _ends(searches: pd.DataFrame) -> tuple[float, float]:
    """Where the axis of a panel begins and ends: the first success or the shortest search, and the longest."""
    charged = searches["fdi"].fillna(searches["spent"])
    first, last = float(charged.min()), float(charged.max())
    return (first, last) if first < last else (first / 2, last)


def _steps(searches: pd.DataFrame, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Candidates, ascending, and the share of searches that succeeded by then, from ``first`` to ``last``."""
    return steps(searches["fdi"].dropna().to_numpy(), len(searches), first, last)
