"""Error of each layer on difference-inducing inputs and on their seed inputs."""

from __future__ import annotations

from typing import Any

from quantrift.core.base.errors import refuse
from quantrift.core.networks.layer_errors import LayerError, read_sides
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS, in_words
from quantrift.study.results.figures.layer_panels import draw
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import PairTarget

LOOKS = {"seed_inputs": ("seed inputs", "o", ":"), "dii": ("difference-inducing inputs", "s", "-")}
"""Side -> its words, marker and line style."""


class Settings(PairTarget):
    """Error of each layer on stored difference-inducing inputs and on their seed inputs, a panel a subject."""


needs = asks("dii_layers", layers=Results.made_of_searches)


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a subject, two lines a tool.

    They are the ratio of each layer on difference-inducing inputs that a distortion caused, and on the seed inputs that
    they came from, each as often as it has such inputs. Where nothing was found, the figure says so.

    Raises:
        QuantriftError: there are more tools than colours.
    """
    panels: dict[str, dict[str, list[LayerError]]] = {}
    lines: dict[str, dict[str, Any]] = {}
    tools: dict[str, str] = {}
    layers = given.one("layers")
    datasets = given.names(key[0] for key in layers)
    compressions, of_tools = (given.names(key[place] for key in layers) for place in (2, 3))
    for (dataset, model, compression, tool, _), file in layers.items():
        panel = f"{datasets[dataset]} \u00b7 {given.named(model)} \u00b7 {compressions[compression]}"
        for side, errors in read_sides(file).items():
            if errors:
                colour = tools.setdefault(tool, COLOURS[len(tools) % len(COLOURS)])
                words, marker, style = LOOKS[side]
                name = f"{of_tools[tool]}: {words}"
                lines[name] = {"marker": marker, "linestyle": style, "color": colour}
                panels.setdefault(panel, {})[name] = errors
    if not panels:
        # Networks that hardly differ are no mistake: the figure says so, and the rest of a report is made.
        return in_words("no difference-inducing input is stored", f"{settings.title}\nscale: {given.scale}")
    refuse((len(tools) > len(COLOURS), f"{len(tools)} tools are too many; name fewer `tools`"))
    sizes = {errors[0].inputs for shown in panels.values() for errors in shown.values()}
    span = " to ".join(map(str, sorted({min(sizes), max(sizes)})))
    return draw(panels, lines, settings, given, f"{span} inputs a line", columns=2)
