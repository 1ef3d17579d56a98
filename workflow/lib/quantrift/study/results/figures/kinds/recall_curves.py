"""Share of all disagreements of finite neighbourhoods that search tools find, over the number of queries."""

from __future__ import annotations

from itertools import cycle

from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, INK
from quantrift.core.statistics.recall import read_enumerated
from quantrift.study.results.figures.finished_figure import finished, in_rows, lines, steps
from quantrift.study.results.targets.enumerations import mistakes as mistakes
from quantrift.study.results.targets.enumerations import needs as needs
from quantrift.study.results.targets.enumerations import states as states
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.target import ToolTarget


class Settings(ToolTarget):
    """Recall of search tools over queries; a panel for each neighbourhood of each subject, a line for each tool."""


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A line rises where a search finds a disagreeing input that it had not found before.

    All seed inputs count together: a point is the share of their distinct difference-inducing inputs that were found
    within so many queries of each search. The dotted line is the share of a neighbourhood that so many queries are,
    which draws without repeats would find on average. A panel whose enumeration has no disagreement says so.

    Raises:
        QuantriftError: there are no searches, or tools started from different inputs.
    """
    panels = list(read_enumerated(given.searched("searches"), given.files["records"], given.stated["tools"]))
    colours = dict(zip(dict.fromkeys(tool for one in panels for tool in one.found), cycle(COLOURS), strict=False))
    figure, axes = in_rows(len(panels), (4.0, 3.0), (0, 1.1), "recall (%)", least=6.0)
    for axis, one in zip(axes, panels, strict=True):
        axis.set_title(f"{', '.join(map(given.named, one.subject))}\n{one.neighbourhood}")
        total = int(one.known.inputs(len(one.truth["input"])).sum())
        if not total:
            axis.text(0.5, 0.5, "no disagreement exists here", ha="center", transform=axis.transAxes)
            axis.set_axis_off()
            continue
        most, members = max(one.queries.values()), int(one.truth["generated"].max())
        axis.plot([0, most], [0, 100 * most / members], ":", color=INK, linewidth=1.2)
        for tool, own in one.found.items():
            # The line of a tool ends where its longest search does.
            places, shares = steps(own.found_after(), total, 1, one.queries[tool])
            axis.step(places, 100 * shares, where="post", color=colours[tool], linewidth=1.6)
        axis.set(xlim=(0, most), ylim=(0, None), xlabel="queries of each search")
    handles = lines(
        *((given.titles.get(name, name), {"color": colour}) for name, colour in colours.items()),
        ("draws without repeats, on average", {"color": INK, "linestyle": ":"}),
    )
    return finished(
        figure,
        settings,
        given,
        f"{distinct(len(one.truth['input']) for one in panels)} seed inputs",
        handles=handles,
        columns=2,
    )
