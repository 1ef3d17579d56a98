"""Heat map of the cells of findings: hypotheses by subjects, with a letter and a colour for each verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd

from quantrift.core.page import drawing as mpl
from quantrift.core.page import row_panels as panels
from quantrift.core.page.arrangement import records
from quantrift.core.page.made_table import detail_of, read
from quantrift.core.page.style import COLOURS, FAINT, INK, in_words
from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import Ref
from quantrift.core.statistics.published import SUBJECT
from quantrift.study.results.figures.finished_figure import finished
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Target

VERDICTS: Mapping[str, tuple[str, str, str]] = {
    "for": ("H", "holds", COLOURS[2]),
    "undecided": ("U", "undecided", FAINT),
    "against": ("F", "fails", COLOURS[5]),
}
"""Verdict of a cell -> letter, word and colour."""
NOT_RUN = ("\u2013", "not run", "white")
CONTROLLED = ("H*", "holds, but not a control", COLOURS[2])
"""Of a cell in which the hypothesis holds and one of its controls does not."""
COLUMN, NAMES = 0.62, 1.3
"""Width of a subject and of the names of metrics, in inches."""


class Settings(Target):
    """Verdicts of a table of findings, cell by cell."""

    findings: Annotated[Id, Ref("table of findings")]
    """Target of kind ``findings``."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """The table of findings, which has its cells in a file beside it."""
    return {"findings": results.tables([settings.findings])}


def states(settings: Settings, results: Results) -> dict[str, dict[str, Any]]:
    """Display names."""
    return results.titles()


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A row for each hypothesis and metric, a column for each subject: that of the side that should be larger.

    A subject on which a hypothesis is not tested has no cell. Several cells of one subject share its place.
    """
    path = given.one("findings")[settings.findings,]
    names = read(path, given.stated["titles"]).names
    found = pd.DataFrame(records(detail_of(path, "cells")))
    if found.empty:
        return in_words("No hypothesis has a cell.", settings.title)
    subjects = list(dict.fromkeys(found[list(SUBJECT)].itertuples(index=False, name=None)))
    hypotheses = list(dict.fromkeys(found[["finding", "hypothesis"]].itertuples(index=False, name=None)))
    headings = [f"Finding {finding}: {names.get(label, label)}" for finding, label in hypotheses]
    height = len(hypotheses) + len(found[["hypothesis", "metric"]].drop_duplicates())
    width = max(COLUMN * len(subjects), panels.CHARACTER * max(map(len, headings)))
    figure = mpl.Figure(figsize=(NAMES + width, panels.ROW * height + 3.0), layout="constrained")
    axis = figure.subplots()
    axis.set(xlim=(-0.5, len(subjects) - 0.5), ylim=(height - 0.5, -0.5))
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)
    seen: set[str] = set()
    at, ticks = 0, {}
    for heading, (finding, label) in zip(headings, hypotheses, strict=True):
        panels.band(axis, at)
        panels.write_heading(axis, at, heading)
        own = found[(found["finding"] == finding) & (found["hypothesis"] == label)]
        for row, (metric, of_metric) in enumerate(own.groupby("metric", sort=False), at + 1):
            ticks[row] = names.get(str(metric), str(metric))
            for subject, several in of_metric.groupby(list(SUBJECT), sort=False):
                seen |= _draw(axis, subjects.index(subject), row, several)
        at += 1 + own["metric"].nunique()
    axis.set_yticks([*ticks], [*ticks.values()])
    axis.set_xticks(
        range(len(subjects)),
        ["\n".join(names.get(part, part) for part in subject if part) for subject in subjects],
        rotation=90,
        fontsize=7.5,
    )
    axis.tick_params(length=0, bottom=False, labelbottom=False, labeltop=True)
    return finished(
        figure,
        settings,
        given,
        handles=[
            mpl.Patch(facecolor=colour, edgecolor=INK, linewidth=0.5, label=f"{letter} {word}")
            for letter, word, colour in (*VERDICTS.values(), NOT_RUN, CONTROLLED)
            if word in seen
        ],
        columns=5,
    )


def _draw(axis: mpl.Axes, column: int, row: int, several: pd.DataFrame) -> set[str]:
    """Draw the cells of one subject side by side; returns their words for the legend."""
    seen = set()
    width = 1 / len(several)
    for place, cell in enumerate(several.to_dict("records")):
        letter, word, colour = VERDICTS[cell["verdict"]] if cell["larger"] and cell["smaller"] else NOT_RUN
        if cell["control"] == "vanishes":
            letter += "*"
            seen.add(CONTROLLED[1])
        left = column - 0.5 + place * width
        axis.add_patch(mpl.Rectangle((left, row - 0.5), width, 1, facecolor=colour, edgecolor="white", linewidth=1.5))
        axis.text(left + width / 2, row, letter, ha="center", va="center", color=INK, fontsize=8, fontweight="bold")
        seen.add(word)
    return seen
