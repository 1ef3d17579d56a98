"""Median PSNR over the strength of each distortion alone, a panel for each network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from quantrift.core.base.errors import refuse
from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.search import calibrated
from quantrift.core.search.calibrated import Calibrated
from quantrift.study.results.figures.finished_figure import finished, in_rows, lines
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import CalibrationTarget

LINES = tuple(product(("-", "--", ":"), COLOURS[:6]))
"""Style and colour of each line; a new style once the colours are used up."""
CHOSEN: Mapping[str, Any] = {"marker": "o", "markersize": 5, "markeredgecolor": INK, "linestyle": "none"}
MISSED: Mapping[str, Any] = {**CHOSEN, "marker": "X"}
"""Marker of a strength at which the median violates the constraint."""
THRESHOLD: Mapping[str, Any] = {"color": INK, "linewidth": 1, "linestyle": (0, (6, 2))}


class Settings(CalibrationTarget):
    """Median PSNR over strength, a panel a network and calibration, a line a distortion."""


needs = asks(calibrations=Results.calibrations)


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a calibration on the inputs of a network; the level line is the smallest valid PSNR.

    A line ends where more than half of the candidates are identical to their seed input, whose PSNR is infinite; a
    strength chosen there stands at the upper edge.

    Raises:
        QuantriftError: there is nothing to draw, or more distortions than lines that can be told apart.
    """
    files = given.one("calibrations", "no network to show; name others in `subjects`")
    found = [calibrated.read(file) for file in files.values()]
    names = list(dict.fromkeys(name for one in found for name in one.curves))
    refuse((len(names) > len(LINES), f"{len(names)} distortions are too many; at most {len(LINES)}"))
    looks: dict[str, Mapping[str, Any]] = {
        name: {"linestyle": style, "color": colour, "linewidth": 1.4}
        for name, (style, colour) in zip(names, LINES, strict=False)
    }
    figure, axes = in_rows(len(found), (3.6, 2.9), (0, 1.5), "median PSNR (dB)", least=5.4)
    for axis, (dataset, model, name), one in zip(axes, files, found, strict=True):
        axis.set_title(f"{given.named(dataset)}\n{given.named(model, name)}")
        _panel(axis, one, looks)
    inputs = distinct(f"{one.inputs} training inputs x {one.settings['draws']} candidates" for one in found)
    reached = {point.reached for one in found for point in one.chosen.values()}
    handles = lines(
        *((name.replace("_", " "), look) for name, look in looks.items()),
        ("strength chosen", {"color": "white", **CHOSEN} if True in reached else {}),
        ("strength chosen, constraint not met", {"color": "white", **MISSED} if False in reached else {}),
        ("smallest valid PSNR", THRESHOLD if any(one.threshold is not None for one in found) else {}),
    )
    return finished(figure, settings, given, f"a point: {inputs}", handles=handles, columns=3)


def _panel(axes: mpl.Axes, one: Calibrated, lines: Mapping[str, Mapping[str, Any]]) -> None:
    for name, curve in one.curves.items():
        points = [point for point in curve if math.isfinite(point.median_psnr)]
        axes.plot([point.strength for point in points], [point.median_psnr for point in points], **lines[name])
    for name, point in one.chosen.items():
        finite = math.isfinite(point.median_psnr)
        height, transform = (point.median_psnr, axes.transData) if finite else (1, axes.get_xaxis_transform())
        look = {**(CHOSEN if point.reached else MISSED), "color": lines[name]["color"]}
        axes.plot([point.strength], [height], transform=transform, clip_on=False, **look)
    if one.threshold is not None:
        axes.axhline(one.threshold, **THRESHOLD)
    axes.set(xlim=(0, 1.03), xlabel="strength")
