"""Claims of the papers beside what this run found (config/claims.yaml)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from quantrift.core.page.made_table import meaning_of
from quantrift.core.statistics.column import SCALE, Column, Columns, frame, key
from quantrift.study.results.tables.answer_words import Cells, Words
from quantrift.study.results.tables.claim_outcomes import Judged, judged
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.targets.claim import ANY, ClaimsTarget
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results

__all__ = ["COLUMNS", "DETAILS", "Settings", "answer", "make", "needs"]


class Settings(ClaimsTarget):
    """Claims of the papers, judged by the tables that `all` names."""

    kind: Literal["claims"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """The tables that test the claims, of those that a plain run makes."""
    return {"tables": results.tables_of_all([claim.target for claim in settings.claims.values()])}


DETAILS = ("cells",)
COLUMNS = (
    key("work", "Work", kind="text"),
    key("place", "Place", kind="text"),
    Column("outcome", "Outcome", "text", "Holds where some cells hold and none fails; fails in the reverse case."),
    Column("sentence", "Claim", "text"),
    Column("expected", "Expected", "text", "Outcome that this code had at this scale before."),
    Column("cells_holds", "Holds", "count", "Cells of the table in which the claim holds."),
    Column("cells_fails", "Fails", "count", "Cells of the table in which it fails."),
    Column("cells_undecided", "Undecided", "count", "Cells of the table that do not carry a decision."),
    Column("published", "In the paper", "text", group="published"),
    Column("why", "Why", "text", "Why the claim does not hold, or cannot be decided, at this scale."),
    Column("table", "Table", "text", "Target whose rows are the cells."),
    Column("claim", "Name", "text", "Name in config/claims.yaml."),
    SCALE,
)
CELLS = (
    key("claim", "Name", kind="text"),
    key("cell", "Cell", kind="text"),
    Column("decision", "Decision", "text"),
    Column("values", "Values", "text", "What the rule compared."),
)


def make(settings: Settings, given: Given) -> Table:
    """A row a claim whose table is given, and beside it one a cell.

    Raises:
        QuantriftError: a table lacks a column that a claim names.
    """
    tables = {name: path for (name,), path in given.one("tables").items()}
    tested = {name: claim for name, claim in settings.claims.items() if claim.target in tables}
    found = [judged(name, claim, tables[claim.target], given.scale) for name, claim in tested.items()]
    cells = [row for one in found for row in _cells(one, meaning_of(tables[one.claim.target]).columns)]
    return Table(
        frame(map(_row, found), COLUMNS),
        COLUMNS,
        _notes(found, given.scale, len(settings.claims) - len(tested)),
        details={"cells": Detail("Cells", frame(cells, CELLS), CELLS)},
    )


OUTCOMES = {"holds": "holding", "fails": "failing", "undecided": "undecided", "missing": "not run"}
"""Outcome -> the word for claims with it."""


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """Numbers of claims by outcome."""
    sums = Counter(row["outcome"] for row in rows)
    counted = [f"{count} {verb}" for name, verb in OUTCOMES.items() if (count := sums[name])]
    return [f"Claims that tables of this run test: {', '.join(counted)}."] if rows else []


def _row(one: Judged) -> dict[str, object]:
    claim = one.claim
    return {
        "work": claim.work,
        "place": claim.place,
        "sentence": claim.sentence,
        "outcome": one.outcome,
        "expected": one.expected,
        **{f"cells_{decision}": one.cells.get(decision, 0) for decision in ("holds", "fails", "undecided")},
        "published": claim.published,
        "why": one.why,
        "table": claim.target,
        "claim": one.name,
        "scale": one.scale,
    }


def _cells(one: Judged, columns: Columns) -> Iterator[dict[str, str]]:
    """The cells of a claim, each named by what tells its row from the other rows of the claim."""
    keys = [column.name for column in columns if column.group == "key" and one.claim.rows.get(column.name, ANY) == ANY]
    for cell in one.decided:
        # Rows behind a table lack some of its keys.
        named = ", ".join(cell.row[name] for name in keys if cell.row.get(name))
        yield {"claim": one.name, "cell": named, "decision": cell.decision, "values": cell.values}


def _notes(found: Sequence[Judged], scale: str, untested: int) -> list[str]:
    """Notes: scale, sums, and the rule for outcomes."""
    sums = Counter(one.outcome for one in found)
    lines = [
        f"Scale: {scale}. Claims: {', '.join(f'{sums[name]} {name}' for name in sorted(sums)) or 'none'}.",
        "A cell is a row of the named table. A test decides it where the p-value, adjusted by Holm's method over the "
        "cells of the claim, is at most its level, a bound where the whole interval lies within or without it. An "
        "expected outcome is one that this code had before at the scale, not what a paper says.",
    ]
    surprises = [one.name for one in found if one.surprising]
    if surprises:
        lines.append(f"Not as expected: {', '.join(surprises)}.")
    if untested:
        lines.append(f"{untested} more claims are tested by tables that a plain run at this scale does not make.")
    return lines
