"""Box plots of a rate over run seeds; a box is a tool, a compression or a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics.published import SUBJECT, read_published
from quantrift.study.results.figures.box_tests import By, Rate, box_tests, panels, published_bounds, with_bounds
from quantrift.study.results.figures.finished_figure import Drawn, box, finished, in_rows, lines
from quantrift.study.results.tables.published_numbers import filed
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import PublishedOfTools, ToolTarget

LABELS = {
    "dir": "divergence rate (%)",
    "dir_unique": "divergence rate of distinct inputs (%)",
    "dir_valid": "divergence rate of valid inputs (%)",
    "sr": "success rate (%)",
    "vr": "validation rate (%)",
}
HEADING, SMALL = 12, 10
"""Letters that fit an inch of the heading, and of the tests below a panel."""
POINT: Mapping[str, Any] = {
    "marker": "o",
    "markersize": 3,
    "markerfacecolor": "white",
    "markeredgecolor": INK,
    "linestyle": "none",
}
DIAMOND: Mapping[str, Any] = {**POINT, "marker": "D", "markersize": 6, "markerfacecolor": COLOURS[5]}


class Settings(ToolTarget, PublishedOfTools):
    """Box plots of one metric over run seeds, a panel a subject, a box a tool."""

    metric: Rate = "dir"
    by: By = "tool"
    """Name that tells the boxes of a panel apart; with any but tools, each run seed is a mean over the tools, and
    ``published`` has bounds of the paper's tests between boxes."""


mistakes = protocol_checks.one_search_each


def details_of(settings: Settings) -> tuple[str, ...]:
    """Tests between boxes; tools are compared in tables."""
    return () if settings.by == "tool" else ("tests",)


needs = asks(metrics=Results.metrics)


def make(settings: Settings, given: Given) -> Drawn:
    """A panel for each subject, less the name that tells boxes apart, all with one scale from 0; a box a line.

    A box spans the quartiles with its median; whiskers reach the last value within 1.5 quartile distances; every run
    seed is a point. A published median is a diamond, labelled published. Where boxes are compressions or datasets, a
    value is the mean over the tools, and below each panel stands how its boxes compare, and the paper's bounds; all
    tests (``quantrift.study.results.figures.box_tests``) are a table beside the figure.

    Raises:
        QuantriftError: there is nothing to draw, or the published file fits no such boxes.
    """
    given.searched("metrics")
    runs = pd.concat([pd.read_csv(path) for path in given.all("metrics")], ignore_index=True)
    drawn = panels(runs, settings.by)
    of_tools = settings.by == "tool"
    published = read_published(given.published_file, SUBJECT) if of_tools else {}
    names = list(map(given.named, drawn.boxes))
    tests = None
    if not of_tools:
        tests = with_bounds(
            box_tests(
                drawn,
                shown=settings.metric,
                paired=settings.by != "dataset",
                test=not (runs["inputs_shared"] > 0).any(),
            ),
            published_bounds(given.published_file, settings.by),
            {name: given.published_as.get(name, name) for name in drawn.boxes},
        )
    any_published = False
    width = 3.2 if of_tools else 3.8
    figure, axes = in_rows(len(drawn.series), (width, 0.3 * len(names) + 1.6), (1.4, 0.7), most=3, least=5.4)
    for axis, (key, boxes) in zip(axes, drawn.series.items(), strict=True):
        numbers = published.get(filed(tuple(key), given.published_as), {})
        markers = {
            tool: numbers[column]
            for tool in drawn.boxes
            if (column := f"{settings.published_as.get(tool, tool)}_{settings.metric}") in numbers
        }
        any_published |= bool(markers)
        axis.set_title(_heading(dict(zip(drawn.keys, key, strict=True)), given))
        _panel(axis, boxes, drawn.boxes, settings.metric, markers)
        axis.set_xlabel(LABELS[settings.metric])
        axis.set_yticks(range(1, len(names) + 1), names if axis in axes[::3] else [""] * len(names))
        if tests is not None:
            own = tests[(tests[drawn.keys] == list(key)).all(axis=1) & (tests["rate"] == settings.metric)]
            axis.set_xlabel(f"{LABELS[settings.metric]}\n{_compared(own, given, int(SMALL * width))}", fontsize=7)
    for axis in axes:
        axis.set_xlim(0, max(one.get_xlim()[1] for one in axes))
    seeds = distinct(runs.groupby([*SUBJECT, "tool"])["run_seed"].nunique())
    finished(
        figure,
        settings,
        given,
        f"{seeds} run seeds of {distinct(runs['inputs'])} inputs",
        handles=lines(("run seed", POINT), ("published median", DIAMOND if any_published else {})),
        columns=2,
    )
    if drawn.averaged:
        named = "; ".join(given.titles.get(tool, tool) for tool in drawn.averaged)
        words = fill(f"Mean of {named}", int(HEADING * figure.get_figwidth()))
        figure.suptitle(f"{figure.get_suptitle()}\n{words}", fontsize=10)
    return Drawn(figure, {} if tests is None else {"tests": tests})


def _panel(
    axes: mpl.Axes,
    boxes: Mapping[str, pd.DataFrame],
    names: Sequence[str],
    metric: str,
    markers: Mapping[str, float],
) -> None:
    for place, name in enumerate(names, start=1):
        values = 100 * boxes[name][metric].dropna().to_numpy() if name in boxes else np.empty(0)
        if len(values):
            spread = box(axes, place, values, COLOURS[(place - 1) % len(COLOURS)], 0.18, lying=True)
            axes.plot(values, spread, clip_on=False, **POINT)
        else:
            # An empty place: the rate is undefined on every run seed, or nothing was run.
            axes.text(0.5, place, "no value", transform=axes.get_yaxis_transform(), ha="center", va="center")
        if name in markers:
            axes.plot([100 * markers[name]], [place + 0.38], clip_on=False, **DIAMOND)
    axes.set(ylim=(len(names) + 0.6, 0.4), xlim=(0, None))


def _heading(key: Mapping[str, str], given: Given) -> str:
    """Display name of a panel, the dataset on a line of its own."""
    rest = given.named(*(key[name] for name in ("model", "compression") if name in key))
    return f"{given.named(key['dataset'])}\n{rest}" if "dataset" in key else rest


def _compared(tests: pd.DataFrame, given: Given, width: int) -> str:
    """For each pair of boxes A12, p after Holm's correction; lines of at most ``width`` letters."""
    lines = []
    for row in tests.to_dict("records"):
        if not pd.isna(row["a12"]):
            p = "no p" if row["p_holm"] is None or pd.isna(row["p_holm"]) else f"p (Holm) {row['p_holm']:.2g}"
            first, second = (given.named(str(row[place])) for place in ("first", "second"))
            lines.append(f"{first} over {second}: A12 {row['a12']:.2f}, {p}")
        if not pd.isna(row["published_p_below"]):
            lines.append(f"published: p < {row['published_p_below']:.2g}, effect > {row['published_a12_above']:.2g}")
    return "\n".join(fill(line, width) for line in lines)
