"""Shares of broken pairs and of all planted faults that checkers catch, from a finished table of kind ``checkers``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np

from quantrift.core.page import drawing as mpl
from quantrift.core.page.made_table import read
from quantrift.core.page.style import COLOURS, in_words
from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import Ref
from quantrift.core.statistics.checker_figures import ALLOWED
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Target


class Settings(Target):
    """Marks with intervals, a row for each checker of a table."""

    checkers: Annotated[Id, Ref("table of checkers")]
    """Target of kind ``checkers``."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """The table of checkers."""
    return {"checkers": results.tables([settings.checkers])}


def make(settings: Settings, given: Given) -> mpl.Figure:
    """The checkers in the order of the table; the heading counts those that did not run."""
    table = read(given.one("checkers")[settings.checkers,], {})
    rows = [row for row in table.rows if row["broken_high"]]
    if not rows:
        return in_words("No pair of these networks is broken, or no checker was run.", settings.title)
    figure = drawn(
        [table.names.get(row["checker"], row["checker"]) for row in rows],
        {
            name: [(float(row[name]), float(row[f"{name}_low"]), float(row[f"{name}_high"])) for row in rows]
            for name in SERIES
        },
    )
    missing = len(table.rows) - len(rows)
    figure.suptitle(f"{settings.title}\nscale: {given.scale}{f'; {missing} not run' if missing else ''}", fontsize=10)
    return figure


SERIES = {"broken": "broken pairs", "planted": "all planted faults"}
"""Name of a share -> what it is a share of."""
APART = 0.24
"""Distance of two marks of a row, in rows."""


def drawn(titles: Sequence[str], shares: Mapping[str, Sequence[tuple[float, float, float]]]) -> mpl.Figure:
    """Marks with intervals.

    Args:
        titles: of the checkers, from the top.
        shares: of each of ``SERIES``, the value of each checker and the ends of its interval, 0 to 1.
    """
    figure = mpl.Figure(figsize=(7, 1.2 + 0.3 * len(titles)), layout="constrained")
    axes = figure.subplots()
    for number, name in enumerate(SERIES):
        value, low, high = 100 * np.array(shares[name], np.float64).reshape(-1, 3).T
        axes.errorbar(
            value,
            np.arange(len(titles)) + APART * (number - 0.5),
            xerr=[value - low, high - value],
            fmt="o",
            color=COLOURS[number],
            markersize=4,
            linewidth=1,
            clip_on=False,
            label=SERIES[name],
        )
    axes.set_yticks(range(len(titles)), titles)
    axes.set(
        ylim=(len(titles) - 0.5, -0.5),
        xlim=(0, 100),
        xlabel=f"caught (%), where at most {100 * ALLOWED:.0f} % of the good pairs of other networks alarm",
    )
    axes.grid(axis="x")
    figure.legend(loc="outside lower center", ncols=len(SERIES))
    return figure
