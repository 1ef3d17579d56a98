"""First and total disagreements by setting, as in DiffChaser's Figure 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics.first_and_total import MEASURES
from quantrift.core.statistics.first_and_total import settings as of_settings
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import UncertaintyTarget

LABELS = {"fdi": "candidates to the first\ndisagreement", "tdi": "distinct disagreements"}
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

    kind: Literal["uncertainty_boxes"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Counts of every single search."""
    return {"searches": results.counts(settings)}


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
    for place, ((dataset, model, compression), found) in enumerate(shown):
        axes[0, place].set_title(f"{given.named(dataset)}\n{given.named(model, compression)}")
        axes[0, place].set_yscale("log")
        for axis, measure in zip(axes[:, place], MEASURES, strict=True):
            failures = [str((~found.success[name]).sum()) if name in found.success else "" for name in names]
            _panel(axis, found.values[measure], found.success if measure == "fdi" else None, names)
            ticks = [f"{name}\n{count}" for name, count in zip(names, failures, strict=True)]
            axis.set_xticks(range(1, len(names) + 1), ticks if measure == "fdi" else names)
            if place == 0:
                axis.set_ylabel(LABELS[measure])
    points = [mpl.Line2D([], [], label="seed input", **POINT)]
    points.append(mpl.Line2D([], [], label="none found, at all that was evaluated; their number below", **FAILED))
    figure.legend(handles=points, loc="outside lower center", ncols=2)
    inputs = ", ".join(map(str, sorted({len(found.success) for _, found in shown})))
    figure.suptitle(f"{settings.title}\n{inputs} seed inputs; scale: {given.scale}", fontsize=10)
    return figure


def _panel(axes: mpl.Axes, values: pd.DataFrame, success: pd.DataFrame | None, names: list[str]) -> None:
    """Boxes of one measure; with ``success``, those without any are crossed."""
    for place, name in enumerate(names, start=1):
        if name not in values:
            axes.text(place, 0.5, "not run", transform=axes.get_xaxis_transform(), ha="center", rotation=90)
            continue
        own = values[name].to_numpy()
        drawn = axes.boxplot(own, positions=[place], widths=0.6, patch_artist=True, showfliers=False)
        drawn["boxes"][0].set(facecolor=COLOURS[place > 1], alpha=0.55, edgecolor=INK)
        drawn["medians"][0].set(color=INK, linewidth=2)
        # Points lie side by side in the order of seed inputs: spread without chance.
        spread = place + (np.linspace(-0.2, 0.2, len(own)) if len(own) > 1 else np.zeros(1))
        found = success[name].to_numpy() if success is not None else np.ones(len(own), bool)
        axes.plot(spread[found], own[found], **POINT)
        axes.plot(spread[~found], own[~found], **FAILED)
    axes.set_xlim(0.4, len(names) + 0.6)
