"""Kind ``boxes``: one rate over run seeds, a panel a subject, a box a tool."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from quantrift.config.errors import QuantriftError
from quantrift.config.targets import BoxFigure
from quantrift.figures.given import Given
from quantrift.figures.style import COLOURS, INK, STYLE, save
from quantrift.metrics.published import published_dataset, read_published

LABELS = {
    "dir": "divergence rate (%)",
    "dir_unique": "divergence rate of distinct inputs (%)",
    "dir_valid": "divergence rate of valid inputs (%)",
    "sr": "success rate (%)",
    "vr": "validation rate (%)",
}
COLUMNS = 3
"""Panels side by side at most."""
SUBJECT = ["dataset", "model", "compression"]
POINT: Mapping[str, Any] = {
    "marker": "o",
    "markersize": 3,
    "markerfacecolor": "white",
    "markeredgecolor": INK,
    "linestyle": "none",
}
DIAMOND: Mapping[str, Any] = {**POINT, "marker": "D", "markersize": 6, "markerfacecolor": COLOURS[5]}


def make(target: BoxFigure, given: Given, out_stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``.

    A box spans the quartiles with its median; whiskers reach the last value within 1.5 quartile distances; every run
    seed is a point. A published median is a diamond, labelled published. Each panel has its own scale, from 0.

    Args:
        target: metric and title.
        given: per-run-seed CSVs, whose order is the order of panels and boxes, and the file of the paper's numbers.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is nothing to draw.
    """
    if not given.files:
        raise QuantriftError(f"figure {out_stem.name}: its experiments have no searches; name others in `from`")
    runs = pd.concat([pd.read_csv(path) for path in given.files], ignore_index=True)
    printed = read_published(given.published[0] if given.published else None, tuple(SUBJECT))
    tools = list(dict.fromkeys(runs["tool"]))
    subjects = list(runs[SUBJECT].drop_duplicates().itertuples(index=False, name=None))
    any_published = False
    width = min(COLUMNS, len(subjects))
    height = -(-len(subjects) // width)
    with mpl.rc_context(STYLE):
        panel = max(2.6, 0.9 * len(tools) + 0.8)
        figure = Figure(figsize=(max(panel * width, 4.2), 3.0 * height + 0.7), layout="constrained")
        axes = figure.subplots(height, width, squeeze=False).ravel()
        for place, (dataset, model, compression) in enumerate(subjects):
            rows = runs.query("dataset == @dataset and model == @model and compression == @compression")
            numbers = printed.get((published_dataset(dataset, given.datasets), model, compression), {})
            markers = {tool: numbers.get(f"{target.published_as.get(tool, tool)}_{target.metric}") for tool in tools}
            any_published |= any(marker is not None for marker in markers.values())
            axes[place].set_title(f"{given.datasets[dataset].title}\n{model}, {compression}")
            _panel(axes[place], rows, tools, target.metric, markers)
            names = [given.titles.get(tool, tool) for tool in tools]
            axes[place].set_xticks(range(1, len(tools) + 1), names, rotation=25, ha="right", rotation_mode="anchor")
            if place % width == 0:
                axes[place].set_ylabel(LABELS[target.metric])
        for unused in axes[len(subjects) :]:
            unused.set_visible(False)
        handles = [Line2D([], [], label="run seed", **POINT)]
        if any_published:
            handles.append(Line2D([], [], label="published median", **DIAMOND))
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        figure.suptitle(f"{target.title}\n{_size(runs)}; scale: {given.scale}", fontsize=10)
        save(figure, out_stem)


def _panel(
    axes: Axes, rows: pd.DataFrame, tools: Sequence[str], metric: str, markers: Mapping[str, float | None]
) -> None:
    for place, tool in enumerate(tools, start=1):
        values = 100 * rows.loc[rows["tool"] == tool, metric].dropna().to_numpy()
        if len(values):
            drawn = axes.boxplot(values, positions=[place], widths=0.6, patch_artist=True, showfliers=False)
            drawn["boxes"][0].set(facecolor=COLOURS[(place - 1) % len(COLOURS)], alpha=0.55, edgecolor=INK)
            drawn["medians"][0].set(color=INK, linewidth=2)
            # Points lie side by side in the order of run seeds: spread without chance.
            spread = np.linspace(-0.18, 0.18, len(values)) if len(values) > 1 else np.zeros(1)
            axes.plot(place + spread, values, clip_on=False, **POINT)
        else:
            # Undefined on every run seed, or not run: an empty place says so.
            axes.text(place, 0.5, "no value", transform=axes.get_xaxis_transform(), ha="center", rotation=90)
        marker = markers[tool]
        if marker is not None:
            axes.plot([place + 0.38], [100 * marker], clip_on=False, **DIAMOND)
    axes.set_xlim(0.4, len(tools) + 0.6)
    axes.set_ylim(bottom=0)


def _size(runs: pd.DataFrame) -> str:
    """How many run seeds and inputs stand behind the boxes."""
    seeds = sorted(runs.groupby([*SUBJECT, "tool"])["run_seed"].nunique().unique())
    inputs = sorted(runs["inputs"].unique())
    return f"{', '.join(map(str, seeds))} run seeds of {', '.join(map(str, inputs))} inputs"
