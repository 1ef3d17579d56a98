"""Median PSNR over the strength of each distortion alone, a panel for each network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any, Literal

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page import drawing as mpl
from quantrift.core.page.panel_grid import Grid
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.search import calibrated
from quantrift.core.search.calibrated import Calibrated, Point
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import CalibrationTarget

COLUMNS = 2
"""Panels side by side at most."""
LINES = tuple(product(("-", "--", ":"), COLOURS[:6]))
"""Style and colour of each line; a new style once the colours are used up."""
CHOSEN: Mapping[str, Any] = {"marker": "o", "markersize": 5, "markeredgecolor": INK, "linestyle": "none"}
MISSED: Mapping[str, Any] = {**CHOSEN, "marker": "X"}
"""Marker of a strength at which the median violates the constraint."""
THRESHOLD: Mapping[str, Any] = {"color": INK, "linewidth": 1, "linestyle": (0, (6, 2))}


class Settings(CalibrationTarget):
    """Median PSNR over strength, a panel a network and calibration, a line a distortion."""

    kind: Literal["psnr_curves"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Each calibration on the inputs of each network."""
    return {"calibrations": results.calibrations(settings, settings.calibrations)}


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a calibration on the inputs of a network; the level line is the smallest valid PSNR.

    A line ends where more than half of the candidates are identical to their seed input, whose PSNR is infinite; a
    strength chosen there stands at the upper edge.

    Raises:
        QuantriftError: there is nothing to draw, or more distortions than lines that can be told apart.
    """
    files = given.one("calibrations")
    if not files:
        raise QuantriftError("no network to show; name others in `subjects`")
    found = [calibrated.read(file) for file in files.values()]
    names = list(dict.fromkeys(name for one in found for name in one.curves))
    if len(names) > len(LINES):
        raise QuantriftError(f"{len(names)} distortions are too many; at most {len(LINES)}")
    lines: dict[str, Mapping[str, Any]] = {
        name: {"linestyle": style, "color": colour, "linewidth": 1.4}
        for name, (style, colour) in zip(names, LINES, strict=False)
    }
    grid = Grid(len(found), COLUMNS)
    size = max(3.6 * grid.width, 5.4), 2.9 * grid.height + 1.5
    figure, axes = grid.drawn(size, "median PSNR (dB)")
    for axis, (dataset, model, name), one in zip(axes, files, found, strict=True):
        axis.set_title(f"{given.named(dataset)}\n{given.named(model, name)}")
        _panel(axis, one, lines)
        axis.set_xlabel("strength")
    figure.legend(handles=_legend(found, lines), loc="outside lower center", ncols=3)
    figure.suptitle(f"{settings.title}\n{_size(found)}; scale: {given.scale}", fontsize=10)
    return figure


def _panel(axes: mpl.Axes, one: Calibrated, lines: Mapping[str, Mapping[str, Any]]) -> None:
    for name, curve in one.curves.items():
        points = [point for point in curve if math.isfinite(point.median_psnr)]
        axes.plot([point.strength for point in points], [point.median_psnr for point in points], **lines[name])
    for name, point in one.chosen.items():
        _mark(axes, point, lines[name]["color"])
    if one.threshold is not None:
        axes.axhline(one.threshold, **THRESHOLD)
    axes.set_xlim(0, 1.03)


def _mark(axes: mpl.Axes, point: Point, colour: str) -> None:
    """The strength chosen; at the upper edge where the median is infinite."""
    finite = math.isfinite(point.median_psnr)
    height, transform = (point.median_psnr, axes.transData) if finite else (1, axes.get_xaxis_transform())
    look = CHOSEN if point.reached else MISSED
    axes.plot([point.strength], [height], transform=transform, color=colour, clip_on=False, **look)


def _legend(found: list[Calibrated], lines: Mapping[str, Mapping[str, Any]]) -> list[mpl.Line2D]:
    handles = [mpl.Line2D([], [], label=name.replace("_", " "), **line) for name, line in lines.items()]
    chosen = [point for one in found for point in one.chosen.values()]
    marks = ((CHOSEN, "strength chosen", True), (MISSED, "strength chosen, constraint not met", False))
    for look, label, reached in marks:
        if any(point.reached is reached for point in chosen):
            handles.append(mpl.Line2D([], [], label=label, color="white", **look))
    if any(one.threshold is not None for one in found):
        handles.append(mpl.Line2D([], [], label="smallest valid PSNR", **THRESHOLD))
    return handles


def _size(found: list[Calibrated]) -> str:
    """Note on the numbers of inputs and candidates."""
    of_each = sorted({f"{one.inputs} training inputs x {one.settings['draws']} candidates" for one in found})
    return f"a point: {', '.join(of_each)}"
