"""Shares of broken pairs and of all planted faults that checkers catch, from a finished table of kind ``checkers``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from quantrift.core.page import drawing as mpl
from quantrift.core.page.made_table import read
from quantrift.core.page.style import in_words
from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import Ref
from quantrift.study.results.figures import caught_shares
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Target


class Settings(Target):
    """Marks with intervals, a row for each checker of a table."""

    kind: Literal["checker_shares"]
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
    figure = caught_shares.drawn(
        [table.names.get(row["checker"], row["checker"]) for row in rows],
        {
            name: [(float(row[name]), float(row[f"{name}_low"]), float(row[f"{name}_high"])) for row in rows]
            for name in caught_shares.SERIES
        },
    )
    missing = len(table.rows) - len(rows)
    notes = [f"scale: {given.scale}", *([f"{missing} not run"] if missing else [])]
    figure.suptitle(f"{settings.title}\n{'; '.join(notes)}", fontsize=10)
    return figure
