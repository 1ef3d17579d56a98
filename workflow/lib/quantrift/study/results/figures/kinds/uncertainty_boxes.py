"""First and total disagreements by setting, as in DiffChaser's Figure 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics.first_and_total import settings as of_settings
from quantrift.study.results.figures.finished_figure import box, finished, lines
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import UncertaintyTarget

POINT: Mapping[str, Any] = {
    "marker": "o",
    "markersize": 2.5,
    "markerfacecolor": "white",
    "markeredgecolor": INK,
    "markeredgewidth": 0.6,
    "linestyle": "none",
}
FAILED: Mapping[str, Any] = {**POINT, "marker": "x", "markersize": 4, "markeredgecolor": COLOURS[5]}


class Settings(UncertaintyTarget):
    """Boxes of the first and of all disagreements, a column of panels a network."""


needs = asks(searches=Results.counts)
mistakes = protocol_checks.of_uncertainty


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A column of panels for each network, with candidates to the first disagreement above and all distinct ones below.

    The upper axis is logarithmic. A box spans the quartiles with its median; whiskers reach the last value within 1.5
    quartile distances; every seed input is a point. Searches without a disagreement stand at all that they evaluated,
    are part of the box and crossed; below the panel stands how many they are.

    Raises:
        QuantriftError: there is nothing to draw, or settings started from different inputs.
    """
    shown = list(of_settings(given.files["searches"], settings.settings))
    names = list(settings.settings)
    width = max(3.2, 0.42 * len(names) + 1.0)
    figure = mpl.Figure(figsize=(max(4.2, width * len(shown)), 6.2), layout="constrained")
    axes = figure.subplots(2, len(shown), squeeze=False)
    for (above, below), ((dataset, *network), found) in zip(axes.T, shown, strict=True):
        above.set(title=f"{given.named(dataset)}\n{given.named(*network)}", yscale="log")
        failed = [f"{name}\n{(~found.success[name]).sum() if name in found.success else ''}" for name in names]
        _panel(above, found.values["fdi"], found.success, names, failed)
        _panel(below, found.values["tdi"], None, names, names)
    for axis, label in zip(
        axes[:, 0], ("candidates to the first\ndisagreement", "distinct disagreements"), strict=True
    ):
        axis.set_ylabel(label)
    return finished(
        figure,
        settings,
        given,
        f"{distinct(len(found.success) for _, found in shown)} seed inputs",
        handles=lines(("seed input", POINT), ("none found, at all that was evaluated; their number below", FAILED)),
    )


def _panel(
    axes: mpl.Axes, values: pd.DataFrame, success: pd.DataFrame | None, names: list[str], ticks: list[str]
) -> None:
    """Boxes of one measure; with ``success``, those without any are crossed."""
    for place, name in enumerate(names, start=1):
        if name not in values:
            axes.text(place, 0.5, "not run", transform=axes.get_xaxis_transform(), ha="center", rotation=90)
            continue
        own = values[name].to_numpy()
        spread = box(axes, place, own, COLOURS[place > 1], 0.2)
        found = success[name].to_numpy() if success is not None else np.ones(len(own), bool)
        axes.plot(spread[found], own[found], **POINT)
        axes.plot(spread[~found], own[~found], **FAILED)
    axes.set_xticks(range(1, len(names) + 1), ticks)
    axes.set_xlim(0.4, len(names) + 0.6)
