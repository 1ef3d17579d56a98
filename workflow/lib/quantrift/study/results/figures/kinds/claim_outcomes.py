"""Claims of the papers by the share of their cells that hold, fail and are undecided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from quantrift.core.base.errors import refuse
from quantrift.core.page import drawing as mpl
from quantrift.core.page.made_table import read
from quantrift.core.page.style import COLOURS, FAINT
from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import Ref
from quantrift.study.results.figures.finished_figure import finished
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Target

DECISIONS = {"holds": COLOURS[2], "undecided": FAINT, "fails": COLOURS[5]}
"""Column of the cells, without its prefix -> colour."""
LONGEST = 70
"""Characters of a claim on one line."""


class Settings(Target):
    """A bar for each claim of a table of claims."""

    claims: Annotated[Id, Ref("table of claims")]
    """Target of kind ``claims``."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """The table of claims."""
    return {"claims": results.tables([settings.claims])}


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A bar a claim: cells that hold on the left, those that fail on the right, each with its number.

    Raises:
        QuantriftError: no claim was tested.
    """
    rows = read(given.one("claims")[settings.claims,], {}).rows
    refuse((not rows, "no claim is tested by a table that `all` names; name one there, or leave this out"))
    figure = mpl.Figure(figsize=(9.0, 1.6 + 0.42 * len(rows)), layout="constrained")
    axis = figure.subplots()
    for place, row in enumerate(rows):
        _bar(axis, place, {name: int(row[f"cells_{name}"]) for name in DECISIONS})
    axis.set_yticks(range(len(rows)), [_label(row) for row in rows])
    axis.set(ylim=(len(rows) - 0.5, -0.5), xlim=(0, 100), xlabel="cells (%)")
    axis.grid(False)
    return finished(
        figure, settings, given, handles=[mpl.Patch(color=colour, label=name) for name, colour in DECISIONS.items()]
    )


def _bar(axis: mpl.Axes, place: int, cells: Mapping[str, int]) -> None:
    total, left = sum(cells.values()), 0.0
    if not total:
        axis.text(1, place, "not run", va="center")
    for name, number in cells.items():
        if number:
            width = 100 * number / total
            axis.barh(place, width, left=left, color=DECISIONS[name], height=0.7)
            axis.text(left + width / 2, place, str(number), ha="center", va="center")
            left += width


def _label(row: Mapping[str, str]) -> str:
    """Outcome, work and place, and below them the claim, cut where it is long."""
    sentence = row["sentence"]
    shown = sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1].rstrip()}…"
    return f"{row['work']}, {row['place']}: {row['outcome']}\n{shown}"
