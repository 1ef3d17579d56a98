"""Histograms of the queries that searches need, as in TriggerFinder's Figure 3."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle

import numpy as np
import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics import query_counts
from quantrift.study.results.figures.finished_figure import finished, in_rows, lines
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import QueryTarget

BINS = 40
"""Bins of equal width on a logarithmic axis: tools that differ by orders of magnitude share a panel."""


class Settings(QueryTarget):
    """Histograms of queries with mean and median, a panel a network and compression."""


needs = asks(searches=Results.counts)
mistakes = protocol_checks.of_queries


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a network and compression, a colour a tool; heights are numbers of inputs, the mean over repetitions.

    Vertical lines are a tool's mean (solid) and median (dashed). A search that found nothing stands at all that it
    spent, and its panel says how many these are.

    Raises:
        QuantriftError: there is nothing to draw.
    """
    found = query_counts.seeds(
        query_counts.load(given.searched("searches", "its experiments have no such searches; name others in `from`"))
    )
    panels = list(found.groupby(list(query_counts.SUBJECT), sort=False))
    ran = [tool for tool in settings.tools if tool in set(found["tool"])]
    colours = dict(zip(ran, cycle(COLOURS), strict=False))
    figure, axes = in_rows(len(panels), (4.4, 3.0), (0, 1.2), "inputs", least=5.4)
    for axis, (subject, own) in zip(axes, panels, strict=True):
        dataset, *network = map(str, subject)
        _panel(axis, own, colours)
        failed = own[~own["success"]].groupby("tool").size()
        said = "; ".join(f"{given.titles.get(tool, tool)}: {failed[tool]} failed" for tool in ran if failed.get(tool))
        axis.set_title("\n".join(filter(None, (given.named(dataset), given.named(*network), said))))
    handles = [
        *(mpl.Patch(color=colour, alpha=0.55, label=given.titles.get(tool, tool)) for tool, colour in colours.items()),
        *lines(("mean", {"color": INK}), ("median", {"color": INK, "linestyle": "--"})),
    ]
    inputs = distinct(found.groupby([*query_counts.SUBJECT, "tool"]).size())
    size = f"{inputs} seed inputs of {distinct(found.groupby('protocol')['run_seed'].nunique())} repetitions"
    return finished(figure, settings, given, size, handles=handles, columns=2)


def _panel(axis: mpl.Axes, searches: pd.DataFrame, colours: Mapping[str, str]) -> None:
    edges = bins(searches["queries"].to_numpy())
    for tool, colour in colours.items():
        own = searches[searches["tool"] == tool]
        values = own["queries"].to_numpy()
        if not len(values):
            continue
        axis.stairs(
            np.histogram(values, edges)[0] / own["run_seed"].nunique(), edges, fill=True, color=colour, alpha=0.55
        )
        for place, style in ((values.mean(), "-"), (np.median(values), "--")):
            axis.axvline(place, color=colour, linestyle=style, linewidth=1.6)
    axis.set(xscale="log", xlim=(edges[0], edges[-1]), xlabel="queries")


def bins(values: np.ndarray) -> np.ndarray:
    """Edges, ascending, that hold every value: whole numbers in logarithmic steps, each at least 1.

    Args:
        values: (n,) numbers of queries, n >= 1, each at least 1.
    """
    # Edges between whole numbers, so that no bin of a few queries holds fewer of them than its neighbour by chance.
    return np.unique(np.geomspace(values.min(), values.max() + 1, BINS + 1).round()) - 0.5
