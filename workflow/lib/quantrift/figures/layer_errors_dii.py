"""Kind ``layer_errors_dii``: how far layers are from the original's on seed inputs and on what came of them."""

from pathlib import Path
from typing import Any

from quantrift.compression.layer_errors import LayerError
from quantrift.config.errors import QuantriftError
from quantrift.config.targets import DiiLayerFigure
from quantrift.figures.layer_panels import draw
from quantrift.figures.style import COLOURS, save_words
from quantrift.metrics.given import Given
from quantrift.records.dii_layers import read

LOOKS = {"seed_inputs": ("seed inputs", "o", ":"), "dii": ("difference-inducing inputs", "s", "-")}
"""Side -> its words, marker and line style."""


def make(target: DiiLayerFigure, given: Given, out_stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``.

    A panel a subject, two lines a tool: the ratio of each layer on difference-inducing inputs that a distortion
    caused, and on the seed inputs that they came from, each as often as it has such inputs. Where nothing was found,
    the figure says so.

    Args:
        target: its title.
        given: files of ``records.dii_layers``, <dataset>/<network>/<compression>/<tool>/<protocol>.json.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there are more tools than colours.
    """
    panels: dict[str, dict[str, list[LayerError]]] = {}
    lines: dict[str, dict[str, Any]] = {}
    tools: dict[str, str] = {}
    datasets = given.dataset_names(file.parts[-5] for file in given.files)
    compressions, of_tools = (given.names(file.parts[place] for file in given.files) for place in (-3, -2))
    for file in given.files:
        dataset, model, compression, tool = file.parts[-5:-1]
        panel = f"{datasets[dataset]}, {model}, {compressions[compression]}"
        for side, errors in read(file).items():
            if not errors:
                continue
            colour = tools.setdefault(tool, COLOURS[len(tools) % len(COLOURS)])
            words, marker, style = LOOKS[side]
            name = f"{of_tools[tool]}: {words}"
            lines[name] = {"marker": marker, "linestyle": style, "color": colour}
            panels.setdefault(panel, {})[name] = errors
    if not panels:
        # Networks that hardly differ are no mistake, and the rest of a report is made.
        save_words("no difference-inducing input is stored", f"{target.title}\nscale: {given.scale}", out_stem)
        return
    if len(tools) > len(COLOURS):
        raise QuantriftError(f"figure {out_stem.name}: {len(tools)} tools are too many; name fewer `tools`")
    size = sorted({errors[0].inputs for shown in panels.values() for errors in shown.values()})
    heading = f"{target.title}\n{_range(size)} inputs a line; scale: {given.scale}"
    draw(panels, lines, heading, out_stem, columns=2)


def _range(sizes: list[int]) -> str:
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
