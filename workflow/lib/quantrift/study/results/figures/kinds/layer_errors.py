"""Error of each layer against the original's, a panel for each network, a line for each compression."""

from __future__ import annotations

from itertools import product

from quantrift.core.base.errors import refuse
from quantrift.core.networks.layer_errors import LayerError, read
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS
from quantrift.study.results.figures.layer_panels import draw
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import SubjectTarget

MARKS = tuple(product("osDvPX", COLOURS[:6]))
"""Marker and colour of each line; a new marker once the colours are used up."""


class Settings(SubjectTarget):
    """Error of each layer against the original's, a panel a network, a line a compression."""


needs = asks("layers.json", layers=Results.compressed)


def make(settings: Settings, given: Given) -> mpl.Figure:
    """Signal-to-quantization-noise ratio of each layer's output, in dB, in the order of the original network.

    A triangle at the upper edge: the layer gives what the original's gives. A gap: the compressed network has no such
    layer.

    Raises:
        QuantriftError: there is nothing to draw, or more compressions than lines that can be told apart.
    """
    panels: dict[str, dict[str, list[LayerError]]] = {}
    layers = given.one("layers")
    datasets = given.names(dataset for dataset, _, _ in layers)
    compressions = given.names(compression for _, _, compression in layers)
    for (dataset, model, compression), file in layers.items():
        panel = panels.setdefault(f"{datasets[dataset]} \u00b7 {given.named(model)}", {})
        panel[compressions[compression]] = read(file)
    panels = {title: shown for title, shown in panels.items() if any(shown.values())}
    refuse((not panels, "no compressed network has layers to compare; add one"))
    names = list(dict.fromkeys(name for shown in panels.values() for name in shown))
    refuse((len(names) > len(MARKS), f"{len(names)} compressions are too many; name fewer `subjects`"))
    lines = {name: {"marker": marker, "color": colour} for name, (marker, colour) in zip(names, MARKS, strict=False)}
    return draw(panels, lines, settings, given)
