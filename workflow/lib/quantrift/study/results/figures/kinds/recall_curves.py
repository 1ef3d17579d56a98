"""Share of all disagreements of finite neighbourhoods that search tools find, over the number of queries."""

from __future__ import annotations

from itertools import cycle
from typing import Literal

import numpy as np

from quantrift.core.page import drawing as mpl
from quantrift.core.page.panel_grid import Grid, steps
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics.recall import Enumerated, read_enumerated
from quantrift.study.results.targets import enumerations
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.target import ToolTarget

COLUMNS = 2
"""Panels side by side at most."""


class Settings(ToolTarget):
    """Recall of search tools over queries; a panel for each neighbourhood of each subject, a line for each tool."""

    kind: Literal["recall_curves"]


needs = enumerations.needs
states = enumerations.states
mistakes = enumerations.mistakes


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A line rises where a search finds a disagreeing input that it had not found before.

    All seed inputs count together: a point is the share of their distinct difference-inducing inputs that were found
    within so many queries of each search. The dotted line is the share of a neighbourhood that so many queries are,
    which draws without repeats would find on average. A panel whose enumeration has no disagreement says so.

    Raises:
        QuantriftError: there are no searches, or tools started from different inputs.
    """
    panels = list(read_enumerated(given.searched("searches"), given.files["records"], given.stated["tools"]))
    colours = dict(zip(dict.fromkeys(tool for one in panels for tool in one.found), cycle(COLOURS), strict=False))
    grid = Grid(len(panels), COLUMNS)
    figure, axes = grid.drawn((max(6.0, 4.0 * grid.width), 3.0 * grid.height + 1.1), "recall (%)")
    for axis, one in zip(axes, panels, strict=True):
        dataset, model, compression = one.subject
        axis.set_title(
            f"{given.named(dataset)}, {given.named(model)}, {given.titles.get(compression, compression)}\n"
            f"{one.neighbourhood}"
        )
        total = int(one.known.inputs(len(one.truth["input"])).sum())
        if not total:
            axis.text(0.5, 0.5, "no disagreement exists here", ha="center", transform=axis.transAxes)
            axis.set_axis_off()
            continue
        most, members = max(one.queries.values()), int(one.truth["generated"].max())
        axis.plot([0, most], [0, 100 * most / members], ":", color=INK, linewidth=1.2)
        for tool, (places, shares) in _steps(one, total).items():
            axis.step(places, 100 * shares, where="post", color=colours[tool], linewidth=1.6)
        axis.set(xlim=(0, most), xlabel="queries of each search")
        axis.set_ylim(bottom=0)
    handles = [mpl.Line2D([], [], color=colour, label=given.titles.get(name, name)) for name, colour in colours.items()]
    handles.append(mpl.Line2D([], [], color=INK, linestyle=":", label="draws without repeats, on average"))
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    inputs = sorted({len(one.truth["input"]) for one in panels})
    heading = f"{settings.title}\n{', '.join(map(str, inputs))} seed inputs; scale: {given.scale}"
    figure.suptitle(heading, fontsize=10)
    return figure


def _steps(one: Enumerated, total: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Tool -> queries, ascending, and the share of all disagreeing inputs that it found by then.

    The line of a tool ends where its longest search does.
    """
    return {tool: steps(own.found_after(), total, 1, one.queries[tool]) for tool, own in one.found.items()}
