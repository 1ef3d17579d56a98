"""Panels of lines over the layers of networks, shared by several kinds of figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from quantrift.core.networks.layer_errors import LayerError
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import INK
from quantrift.study.results.figures.finished_figure import finished, in_rows
from quantrift.study.results.figures.finished_figure import lines as legend
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.target import Target

POINTS: Mapping[str, Any] = {"markersize": 3.5, "linewidth": 1.2}
EQUAL: Mapping[str, Any] = {"marker": "^", "markersize": 5, "linestyle": "none", "clip_on": False}
"""Marker at the upper edge of the panel, where the ratio is infinite."""


def draw(
    panels: Mapping[str, Mapping[str, Sequence[LayerError]]],
    lines: Mapping[str, Mapping[str, Any]],
    settings: Target,
    given: Given,
    note: str = "",
    columns: int = 3,
) -> mpl.Figure:
    """Signal-to-quantization-noise ratio of each layer, in dB.

    A triangle at the upper edge marks a layer whose output equals the original's. A gap marks a missing layer.

    Args:
        panels: title of a panel -> name of a line -> layers in the order of the original network.
        lines: name of a line -> how it is drawn; the order of the legend.
        settings: of the target.
        given: its inputs.
        note: on the numbers of what is shown.
        columns: of the legend, at most; fewer where names are long.
    """
    longest = max(len(_layers(shown)) for shown in panels.values())
    figure, axes = in_rows(len(panels), (0.32 * longest, 3.2), (1.4, 1.0), "SQNR (dB)", most=1, least=6.0)
    any_equal = False
    for place, (heading, shown) in zip(axes, panels.items(), strict=True):
        layers = _layers(shown)
        for name, errors in shown.items():
            any_equal |= _line(place, errors, layers, lines[name])
        place.set_xticks(range(len(layers)), layers, rotation=60, ha="right", rotation_mode="anchor")
        place.set(xlim=(-0.5, len(layers) - 0.5), title=heading)
    handles = legend(
        *((name, {**POINTS, **line}) for name, line in lines.items()),
        ("equal to the original", {**EQUAL, "color": INK, "markerfacecolor": "white"} if any_equal else {}),
    )
    return finished(figure, settings, given, note, handles=handles, columns=min(columns, len(handles)))


def _layers(shown: Mapping[str, Sequence[LayerError]]) -> list[str]:
    """Names of the layers of a panel; the output comes last, also where a compression lacks layers before it."""
    layers = dict.fromkeys(error.layer for errors in shown.values() for error in errors)
    return sorted(layers, key=lambda layer: layer == OUTPUT)


def _line(axes: mpl.Axes, errors: Sequence[LayerError], layers: Sequence[str], line: Mapping[str, Any]) -> bool:
    """Draw one line; returns whether any of its layers equals the original's."""
    ratios = {error.layer: error.sqnr_db for error in errors if error.sqnr_db is not None}
    axes.plot(range(len(layers)), [ratios.get(layer, math.nan) for layer in layers], **POINTS, **line)
    exact = {error.layer for error in errors if error.mse == 0}
    equal = [place for place, layer in enumerate(layers) if layer in exact]
    if equal:
        axes.plot(equal, [1] * len(equal), transform=axes.get_xaxis_transform(), color=line["color"], **EQUAL)
    return bool(equal)
