"""Histograms of the queries that searches need, as in TriggerFinder's Figure 3."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Literal

import numpy as np
import pandas as pd

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page import drawing as mpl
from quantrift.core.page.panel_grid import Grid
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics import query_counts
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import QueryTarget

COLUMNS = 2
"""Panels side by side at most."""
BINS = 40
"""Bins of equal width on a logarithmic axis: tools that differ by orders of magnitude share a panel."""


class Settings(QueryTarget):
    """Histograms of queries with mean and median, a panel a network and compression."""

    kind: Literal["query_histograms"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Counts of every single search."""
    return {"searches": results.counts(settings)}


mistakes = protocol_checks.of_queries


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a network and compression, a colour a tool; heights are numbers of inputs, the mean over repetitions.

    Vertical lines are a tool's mean (solid) and median (dashed). A search that found nothing stands at all that it
    spent, and its panel says how many these are.

    Raises:
        QuantriftError: there is nothing to draw.
    """
    searches = given.files["searches"]
    if not searches:
        raise QuantriftError("its experiments have no such searches; name others in `from`")
    found = query_counts.seeds(query_counts.load(searches))
    panels = list(found.groupby(list(query_counts.SUBJECT), sort=False))
    ran = [tool for tool in settings.tools if tool in set(found["tool"])]
    colours = dict(zip(ran, cycle(COLOURS), strict=False))
    grid = Grid(len(panels), COLUMNS)
    figure, axes = grid.drawn((max(5.4, 4.4 * grid.width), 3.0 * grid.height + 1.2), "inputs")
    for axis, (subject, own) in zip(axes, panels, strict=True):
        dataset, model, compression = map(str, subject)
        failed = _panel(axis, own, colours)
        lines = [given.named(dataset), given.named(model, compression)]
        if failed:
            lines.append("; ".join(f"{given.titles.get(tool, tool)}: {n} failed" for tool, n in failed.items()))
        axis.set_title("\n".join(lines))
    handles = [
        *(mpl.Patch(color=colour, alpha=0.55, label=given.titles.get(tool, tool)) for tool, colour in colours.items()),
        mpl.Line2D([], [], color=INK, label="mean"),
        mpl.Line2D([], [], color=INK, linestyle="--", label="median"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    inputs = ", ".join(map(str, sorted(found.groupby([*query_counts.SUBJECT, "tool"]).size().unique())))
    repetitions = ", ".join(map(str, sorted(found.groupby("protocol")["run_seed"].nunique().unique())))
    heading = f"{settings.title}\n{inputs} seed inputs of {repetitions} repetitions; scale: {given.scale}"
    figure.suptitle(heading, fontsize=10)
    return figure


def _panel(axis: mpl.Axes, searches: pd.DataFrame, colours: Mapping[str, str]) -> dict[str, int]:
    """Draw the tools of one subject; returns the numbers of failed searches, of tools with any."""
    edges = bins(searches["queries"].to_numpy())
    failed: dict[str, int] = {}
    for tool, colour in colours.items():
        own = searches[searches["tool"] == tool]
        if not len(own):
            continue
        values = own["queries"].to_numpy()
        counts = np.histogram(values, edges)[0] / own["run_seed"].nunique()
        axis.stairs(counts, edges, fill=True, color=colour, alpha=0.55)
        for place, style in ((values.mean(), "-"), (np.median(values), "--")):
            axis.axvline(place, color=colour, linestyle=style, linewidth=1.6)
        if (~own["success"]).any():
            failed[tool] = int((~own["success"]).sum())
    axis.set(xscale="log", xlim=(edges[0], edges[-1]), xlabel="queries")
    return failed


def bins(values: np.ndarray) -> np.ndarray:
    """Edges, ascending, that hold every value: whole numbers in logarithmic steps, each at least 1.

    Args:
        values: (n,) numbers of queries, n >= 1, each at least 1.
    """
    # Edges between whole numbers, so that no bin of a few queries holds fewer of them than its neighbour by chance.
    steps = np.geomspace(values.min(), values.max() + 1, BINS + 1).round()
    return np.unique(steps) - 0.5
