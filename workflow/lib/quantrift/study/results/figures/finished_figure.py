"""Parts that kinds of figures share: panels in rows, legend and heading, tables beside the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.base.errors import said_of
from quantrift.core.base.files import replacing
from quantrift.core.page import drawing as mpl
from quantrift.core.page.made_table import detail_of
from quantrift.core.page.style import INK, STYLE, save
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.target import Target

PUBLISHED: Mapping[str, Any] = {"marker": "D", "color": "white", "markeredgecolor": INK, "linestyle": "none"}
"""Look of a published number in a legend, where each line has its own colour."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure with tables beside it."""

    figure: mpl.Figure
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """Ending of a file's name -> content of ``<figure>.<ending>.csv``."""


def in_rows(
    count: int,
    panel: tuple[float, float],
    around: tuple[float, float],
    label: str = "",
    *,
    most: int = 2,
    least: float = 0,
) -> tuple[mpl.Figure, list[mpl.Axes]]:
    """A figure with at least one panel, row by row, all of equal size.

    Args:
        count: of panels.
        panel: width and height of one, in inches.
        around: width and height beside all of them.
        label: stands left of each row.
        most: panels side by side.
        least: width of the figure.
    """
    width = min(most, count)
    height = -(-count // width)
    figure = mpl.Figure(
        figsize=(max(panel[0] * width + around[0], least), panel[1] * height + around[1]), layout="constrained"
    )
    axes: np.ndarray = figure.subplots(height, width, squeeze=False)
    for first in axes[:, 0]:
        first.set_ylabel(label)
    for unused in axes.ravel()[count:]:
        unused.set_visible(False)
    return figure, axes.ravel()[:count].tolist()


def box(
    axes: mpl.Axes, place: float, values: np.ndarray, colour: str, reach: float, *, lying: bool = False
) -> np.ndarray:
    """Draw a box of the quartiles; returns where its points lie, side by side in their order: spread without chance."""
    drawn = axes.boxplot(
        values,
        positions=[place],
        widths=0.6,
        patch_artist=True,
        showfliers=False,
        orientation="horizontal" if lying else "vertical",
    )
    drawn["boxes"][0].set(facecolor=colour, alpha=0.55, edgecolor=INK)
    drawn["medians"][0].set(color=INK, linewidth=2)
    return place + (np.linspace(-reach, reach, len(values)) if len(values) > 1 else np.zeros(1))


def finished(
    figure: mpl.Figure,
    settings: Target,
    given: Given,
    note: str = "",
    *,
    handles: Sequence[mpl.Line2D | mpl.Patch] = (),
    columns: int = 0,
) -> mpl.Figure:
    """The figure with a legend below it, and its title, a note and the scale above it.

    Args:
        figure: with all its panels.
        settings: of the target.
        given: its inputs.
        note: on the numbers of what is shown.
        handles: of the legend.
        columns: of the legend, fewer where the figure is too narrow for them; all side by side where it is 0.
    """
    for count in range(columns or len(handles), 0, -1):
        legend = figure.legend(handles=handles, loc="outside lower center", ncols=count)
        if legend.get_window_extent().width <= figure.bbox.width or count == 1:
            break
        legend.remove()
    figure.suptitle(f"{settings.title}\n{note and f'{note}; '}scale: {given.scale}", fontsize=10)
    return figure


def lines(*looks: tuple[str, Mapping[str, Any]]) -> list[mpl.Line2D | mpl.Patch]:
    """Handles of a legend, by label and look; what has no look is not drawn, and is left out."""
    return [mpl.Line2D([], [], label=label, **look) for label, look in looks if look]


def steps(reached: np.ndarray, total: int, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Curve that steps up: places, ascending, and the share that is reached by then, from ``first`` to ``last``.

    Args:
        reached: where each was reached, (k,); each at ``first`` or later.
        total: how many could be, at least k.
        first: where the curve begins.
        last: where it ends.
    """
    places, counts = np.unique(reached, return_counts=True)
    shares = np.cumsum(counts) / total
    end = shares[-1] if len(shares) else 0.0
    start = [] if len(places) and places[0] == first else [first]
    return np.array([*start, *places, last]), np.array([*[0.0] * len(start), *shares, end])


def make(stated: Mapping[str, Any], given: Given, stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``, and the tables beside them that a kind has (``Drawn``).

    Args:
        stated: settings of the target.
        given: its inputs.
        stem: path without suffix, ``<results>/figures/<target>``.

    Raises:
        QuantriftError: as the kind's ``make``, after the name of the figure.
    """
    kind = kinds.load(stated["kind"])
    with mpl.rc_context(STYLE):
        with said_of(f"figure {stem.name}"):
            settings = kind.Settings.model_validate(stated)
            made: mpl.Figure | Drawn = kind.make(settings, given)
        drawn = made if isinstance(made, Drawn) else Drawn(made)
        kinds.check_details(settings, drawn.tables)
        save(drawn.figure, stem)
    for ending, table in drawn.tables.items():
        with replacing(detail_of(stem, ending)) as temporary:
            table.to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")
