"""Box plots of a rate over run seeds; a box is a tool, a compression or a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, Literal

import numpy as np
import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page.panel_grid import Grid
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics.published import SUBJECT, published_dataset, read_published
from quantrift.study.results.figures.box_series import By, Rate, panels
from quantrift.study.results.figures.box_tests import box_tests, published_bounds, with_bounds
from quantrift.study.results.figures.finished_figure import Drawn
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.protocol_checks import one_search_each
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import PublishedOfTools, ToolTarget

LABELS = {
    "dir": "divergence rate (%)",
    "dir_unique": "divergence rate of distinct inputs (%)",
    "dir_valid": "divergence rate of valid inputs (%)",
    "sr": "success rate (%)",
    "vr": "validation rate (%)",
}
COLUMNS = 3
"""Panels side by side at most."""
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

    kind: Literal["boxes"]
    metric: Rate = "dir"
    by: By = "tool"
    """Name that tells the boxes of a panel apart; with any but tools, each run seed is a mean over the tools, and
    ``published`` has bounds of the paper's tests between boxes."""


def details_of(settings: Settings) -> tuple[str, ...]:
    """Tests between boxes; tools are compared in tables."""
    return () if settings.by == "tool" else ("tests",)


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Metrics of all searches."""
    return {"metrics": results.metrics(settings)}


mistakes = one_search_each


def make(settings: Settings, given: Given) -> Drawn:
    """A panel for each subject, less the name that tells boxes apart, each with its own scale from 0.

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
    published = read_published(given.published_file, SUBJECT) if settings.by == "tool" else {}
    names = [given.named(box) for box in drawn.boxes]
    tests = None
    if settings.by != "tool":
        tests = box_tests(drawn, paired=settings.by != "dataset", test=not (runs["inputs_shared"] > 0).any())
        filed = {box: published_dataset(box, given.datasets) for box in drawn.boxes}
        tests = with_bounds(tests, published_bounds(given.published_file, settings.by), filed)
    any_published = False
    grid = Grid(len(drawn.series), COLUMNS)
    panel = max(2.6 if settings.by == "tool" else 3.6, 0.9 * len(names) + 0.8)
    size = max(panel * grid.width, 4.2), 3.0 * grid.height + 0.7
    figure, axes = grid.drawn(size, LABELS[settings.metric])
    for axis, (key, boxes) in zip(axes, drawn.series.items(), strict=True):
        markers: dict[str, float | None] = {}
        if settings.by == "tool":
            numbers = published.get((published_dataset(key[0], given.datasets), *key[1:]), {})
            columns = {tool: settings.published_as.get(tool, tool) for tool in drawn.boxes}
            markers = {tool: numbers.get(f"{column}_{settings.metric}") for tool, column in columns.items()}
        any_published |= any(marker is not None for marker in markers.values())
        axis.set_title(_heading(dict(zip(drawn.keys, key, strict=True)), given))
        _panel(axis, boxes, drawn.boxes, settings.metric, markers)
        axis.set_xticks(range(1, len(names) + 1), names, rotation=25, ha="right", rotation_mode="anchor")
        if tests is not None:
            own = tests[(tests[drawn.keys] == list(key)).all(axis=1) & (tests["rate"] == settings.metric)]
            axis.set_xlabel(_compared(own, settings.by, given, int(SMALL * panel)), fontsize=7)
    handles = [mpl.Line2D([], [], label="run seed", **POINT)]
    if any_published:
        handles.append(mpl.Line2D([], [], label="published median", **DIAMOND))
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    heading = f"{settings.title}\n{_size(runs)}; scale: {given.scale}"
    if drawn.averaged:
        named = "; ".join(given.titles.get(tool, tool) for tool in drawn.averaged)
        heading += "\n" + fill(f"Mean of {named}", int(HEADING * figure.get_figwidth()))
    figure.suptitle(heading, fontsize=10)
    return Drawn(figure, {} if tests is None else {"tests": tests})


def _panel(
    axes: mpl.Axes,
    boxes: Mapping[str, pd.DataFrame],
    names: Sequence[str],
    metric: str,
    markers: Mapping[str, float | None],
) -> None:
    for place, name in enumerate(names, start=1):
        values = 100 * boxes[name][metric].dropna().to_numpy() if name in boxes else np.empty(0)
        if len(values):
            drawn = axes.boxplot(values, positions=[place], widths=0.6, patch_artist=True, showfliers=False)
            drawn["boxes"][0].set(facecolor=COLOURS[(place - 1) % len(COLOURS)], alpha=0.55, edgecolor=INK)
            drawn["medians"][0].set(color=INK, linewidth=2)
            # Points lie side by side in the order of run seeds: spread without chance.
            spread = np.linspace(-0.18, 0.18, len(values)) if len(values) > 1 else np.zeros(1)
            axes.plot(place + spread, values, clip_on=False, **POINT)
        else:
            # An empty place: the rate is undefined on every run seed, or nothing was run.
            axes.text(place, 0.5, "no value", transform=axes.get_xaxis_transform(), ha="center", rotation=90)
        marker = markers.get(name)
        if marker is not None:
            axes.plot([place + 0.38], [100 * marker], clip_on=False, **DIAMOND)
    axes.set_xlim(0.4, len(names) + 0.6)
    axes.set_ylim(bottom=0)


def _heading(key: Mapping[str, str], given: Given) -> str:
    """Display name of a panel, the dataset on a line of its own."""
    rest = given.named(*(key[name] for name in ("model", "compression") if name in key))
    return f"{given.named(key['dataset'])}\n{rest}" if "dataset" in key else rest


def _compared(tests: pd.DataFrame, by: str, given: Given, width: int) -> str:
    """For each pair of boxes A12, p after Holm's correction; lines of at most ``width`` letters."""
    lines = []
    for row in tests.to_dict("records"):
        if not pd.isna(row["a12"]):
            p = "no p" if row["p_holm"] is None or pd.isna(row["p_holm"]) else f"p (Holm) {row['p_holm']:.2g}"
            first, second = (given.named(str(row[place])) for place in ("first", "second"))
            lines.append(fill(f"{first} over {second}: A12 {row['a12']:.2f}, {p}", width))
        if not pd.isna(row["published_p_below"]):
            bounds = f"published: p < {row['published_p_below']:.2g}, effect > {row['published_a12_above']:.2g}"
            lines.append(fill(bounds, width))
    return "\n".join(lines)


def _size(runs: pd.DataFrame) -> str:
    """Note on the numbers of run seeds and inputs."""
    seeds = sorted(runs.groupby([*SUBJECT, "tool"])["run_seed"].nunique().unique())
    inputs = sorted(runs["inputs"].unique())
    return f"{', '.join(map(str, seeds))} run seeds of {', '.join(map(str, inputs))} inputs"
