"""Kind ``layer_errors``: how far layers are from the original's, a panel a network, a line a compression."""

from itertools import product
from pathlib import Path

from quantrift.compression.layer_errors import LayerError, read
from quantrift.config.errors import QuantriftError
from quantrift.config.targets import LayerFigure
from quantrift.figures.layer_panels import draw
from quantrift.figures.style import COLOURS
from quantrift.metrics.given import Given

MARKS = tuple(product("osDvPX", COLOURS[:6]))
"""Marker and colour of each line; a new marker once the colours are used up."""


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
    datasets = given.dataset_names(file.parts[-4] for file in given.files)
    compressions = given.names(file.parts[-2] for file in given.files)
    for file in given.files:
        dataset, model, compression = file.parts[-4:-1]
        panels.setdefault(f"{datasets[dataset]}, {model}", {})[compressions[compression]] = read(file)
    panels = {title: shown for title, shown in panels.items() if any(shown.values())}
    if not panels:
        raise QuantriftError(f"figure {out_stem.name}: no compressed network has layers to compare; add one")
    names = list(dict.fromkeys(name for shown in panels.values() for name in shown))
    if len(names) > len(MARKS):
        raise QuantriftError(f"figure {out_stem.name}: {len(names)} compressions are too many; name fewer `subjects`")
    lines = {name: {"marker": marker, "color": colour} for name, (marker, colour) in zip(names, MARKS, strict=False)}
    draw(panels, lines, f"{target.title}\nscale: {given.scale}", out_stem)
