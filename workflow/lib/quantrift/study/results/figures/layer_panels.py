"""Panels of lines over the layers of networks, shared by several kinds of figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from quantrift.core.networks.layer_errors import LayerError
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import INK

POINTS: Mapping[str, Any] = {"markersize": 3.5, "linewidth": 1.2}
EQUAL: Mapping[str, Any] = {"marker": "^", "markersize": 5, "linestyle": "none", "clip_on": False}
"""Marker at the upper edge of the panel, where the ratio is infinite."""


def draw(
    panels: Mapping[str, Mapping[str, Sequence[LayerError]]],
    lines: Mapping[str, Mapping[str, Any]],
    title: str,
    columns: int = 3,
) -> mpl.Figure:
    """Signal-to-quantization-noise ratio of each layer, in dB.

    A triangle at the upper edge marks a layer whose output equals the original's. A gap marks a missing layer.

    Args:
        panels: title of a panel -> name of a line -> layers in the order of the original network.
        lines: name of a line -> how it is drawn; the order of the legend.
        title: of the figure.
        columns: of the legend, at most; fewer where names are long.
    """
    longest = max(len(_layers(shown)) for shown in panels.values())
    size = max(6.0, 0.32 * longest + 1.4), 3.2 * len(panels) + 1.0
    figure = mpl.Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False).ravel()
    any_equal = False
    for place, (heading, shown) in zip(axes, panels.items(), strict=True):
        layers = _layers(shown)
        for name, errors in shown.items():
            any_equal |= _line(place, errors, layers, lines[name])
        place.set_xticks(range(len(layers)), layers, rotation=60, ha="right", rotation_mode="anchor")
        place.set_xlim(-0.5, len(layers) - 0.5)
        place.set_ylabel("SQNR (dB)")
        place.set_title(heading)
    handles = [mpl.Line2D([], [], label=name, **POINTS, **line) for name, line in lines.items()]
    if any_equal:
        handles.append(mpl.Line2D([], [], label="equal to the original", **EQUAL, color=INK, markerfacecolor="white"))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(columns, len(handles)))
    figure.suptitle(title, fontsize=10)
    return figure


def _layers(shown: Mapping[str, Sequence[LayerError]]) -> list[str]:
    """Names of the layers of a panel; the output comes last, also where a compression lacks layers before it."""
    layers = dict.fromkeys(error.layer for errors in shown.values() for error in errors)
    return sorted(layers, key=lambda layer: layer == OUTPUT)


def _line(axes: mpl.Axes, errors: Sequence[LayerError], layers: Sequence[str], line: Mapping[str, Any]) -> bool:
    """Draw one line; returns whether any of its layers equals the original's."""
    of_layer = {error.layer: error for error in errors}
    ratios = np.full(len(layers), math.nan)
    for place, layer in enumerate(layers):
        error = of_layer.get(layer)
        if error is not None and error.sqnr_db is not None:
            ratios[place] = error.sqnr_db
    axes.plot(range(len(layers)), ratios, **POINTS, **line)
    equal = [place for place, layer in enumerate(layers) if layer in of_layer and of_layer[layer].mse == 0]
    if equal:
        axes.plot(equal, [1] * len(equal), transform=axes.get_xaxis_transform(), color=line["color"], **EQUAL)
    return bool(equal)
