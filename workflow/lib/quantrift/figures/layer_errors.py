"""Kind ``layer_errors``: how far layers are from the original's, a panel a network, a line a compression."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from quantrift.compression.layer_errors import LayerError, read
from quantrift.config.errors import QuantriftError
from quantrift.config.targets import LayerFigure
from quantrift.figures.given import Given
from quantrift.figures.style import COLOURS, INK, STYLE, save
from quantrift.models.runtimes.layers import OUTPUT

MARKS = tuple(product("osDvPX", COLOURS[:6]))
"""Marker and colour of each line; a new marker once the colours are used up."""
EQUAL: Mapping[str, Any] = {"marker": "^", "markersize": 5, "linestyle": "none", "clip_on": False}
"""At the upper edge of the panel, where the ratio is infinite."""


def make(target: LayerFigure, given: Given, out_stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``.

    Signal-to-quantization-noise ratio of each layer's output, in dB, in the order of the original network. A triangle
    at the upper edge: the layer gives what the original's gives. A gap: the compressed network has no such layer.

    Args:
        target: its title.
        given: layers.json of each compressed network, in folders <dataset>/<network>/<compression>; a panel a network,
            in their order.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is nothing to draw, or more compressions than lines that can be told apart.
    """
    panels: dict[str, dict[str, list[LayerError]]] = {}
    for file in given.files:
        dataset, model, compression = file.parts[-4:-1]
        panel = panels.setdefault(f"{given.datasets[dataset].title}, {model}", {})
        panel[given.titles.get(compression, compression)] = read(file)
    panels = {title: shown for title, shown in panels.items() if any(shown.values())}
    if not panels:
        raise QuantriftError(f"figure {out_stem.name}: no compressed network has layers to compare; add one")
    names = list(dict.fromkeys(name for shown in panels.values() for name in shown))
    if len(names) > len(MARKS):
        raise QuantriftError(f"figure {out_stem.name}: {len(names)} compressions are too many; name fewer `subjects`")
    lines: dict[str, Mapping[str, Any]] = {
        name: {"marker": marker, "color": colour, "markersize": 3.5, "linewidth": 1.2}
        for name, (marker, colour) in zip(names, MARKS, strict=False)
    }
    longest = max(len(_layers(shown)) for shown in panels.values())
    with mpl.rc_context(STYLE):
        size = max(6.0, 0.32 * longest + 1.4), 3.2 * len(panels) + 1.0
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(panels), 1, squeeze=False).ravel()
        any_equal = False
        for place, (title, shown) in zip(axes, panels.items(), strict=True):
            layers = _layers(shown)
            for name, errors in shown.items():
                any_equal |= _line(place, errors, layers, lines[name])
            place.set_xticks(range(len(layers)), layers, rotation=60, ha="right", rotation_mode="anchor")
            place.set_xlim(-0.5, len(layers) - 0.5)
            place.set_ylabel("SQNR (dB)")
            place.set_title(title)
        handles = [Line2D([], [], label=name, **line) for name, line in lines.items()]
        if any_equal:
            handles.append(Line2D([], [], label="equal to the original", **EQUAL, color=INK, markerfacecolor="white"))
        figure.legend(handles=handles, loc="outside lower center", ncols=min(3, len(handles)))
        figure.suptitle(f"{target.title}\nscale: {given.scale}", fontsize=10)
        save(figure, out_stem)


def _layers(shown: Mapping[str, Sequence[LayerError]]) -> list[str]:
    """Names of the layers of a panel; the output comes last, also where a compression lacks layers before it."""
    layers = dict.fromkeys(error.layer for errors in shown.values() for error in errors)
    return sorted(layers, key=lambda layer: layer == OUTPUT)


def _line(axes: Axes, errors: Sequence[LayerError], layers: Sequence[str], line: Mapping[str, Any]) -> bool:
    """Draw one compression; whether a layer of it equals the original's."""
    of_layer = {error.layer: error for error in errors}
    ratios = np.full(len(layers), math.nan)
    for place, layer in enumerate(layers):
        error = of_layer.get(layer)
        if error is not None and error.sqnr_db is not None:
            ratios[place] = error.sqnr_db
    axes.plot(range(len(layers)), ratios, **line)
    equal = [place for place, layer in enumerate(layers) if layer in of_layer and of_layer[layer].mse == 0]
    if equal:
        axes.plot(equal, [1] * len(equal), transform=axes.get_xaxis_transform(), color=line["color"], **EQUAL)
    return bool(equal)
