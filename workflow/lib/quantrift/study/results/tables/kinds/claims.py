"""Claims of the papers beside what this run found (config/claims.yaml)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.grouped import grouped
from quantrift.core.page.arrangement import records
from quantrift.core.page.made_table import meaning_of
from quantrift.core.statistics.column import SCALE, Column, Columns, frame, key
from quantrift.core.statistics.published import SUBJECT
from quantrift.study.results.tables.answer_words import Cells, Words, by
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.targets.claim import ANY, CONTROLS, OWN, RIVAL, Claim, ClaimsTarget, Decision, Outcome
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results


@dataclass(frozen=True)
class DecidedCell:
    """A row of a table that tests a claim."""

    row: Mapping[str, str]
    decision: Decision
    values: str
    """The values that led to the decision, in words."""


@dataclass(frozen=True)
class Judged:
    """A claim and the decisions on its cells at one scale."""

    name: str
    claim: Claim
    scale: str
    decided: Sequence[DecidedCell]
    """The cells that were run."""
    smaller: Sequence[str] = ()
    """Settings below the published size (``Claim.smaller``)."""

    @property
    def cells(self) -> Counter[str]:
        """Number of cells that hold, fail and are undecided."""
        return Counter(cell.decision for cell in self.decided)

    @property
    def outcome(self) -> Outcome:
        """Outcome of all cells; none is told of less than the published size."""
        return "not testable" if self.decided and self.smaller else together(self.cells)

    @property
    def expected(self) -> Outcome | None:
        """Outcome that was measured before at this scale, if any."""
        return self.claim.expected.get(self.scale)

    @property
    def why(self) -> str | None:
        """Why it does not hold, or cannot be decided, at this scale, if that is stated."""
        if self.outcome == "not testable":
            return f"Below the published size: {'; '.join(self.smaller)}."
        return None if self.outcome in ("holds", "missing") else self.claim.why.get(self.scale)

    @property
    def surprising(self) -> bool:
        """True where another outcome was expected."""
        return self.expected is not None and self.outcome != self.expected


def judged(name: str, claim: Claim, table: Path | None, scale: str, smaller: Sequence[str] = ()) -> Judged:
    """A claim, judged by the rows of its table or of those behind it, or missing where that was not made.

    A quantity of one tool stands in a row for each rival; it is one cell.

    Raises:
        QuantriftError: if the table is damaged, or lacks a column that the claim names.
    """
    path = claim.file(table) if table else None
    try:
        run = [row for row in records(path) if claim.tests(row) and claim.rule.was_run(row)] if path else []
        if claim.rule.kind == "bound" and run and RIVAL in run[0]:
            columns = meaning_of(cast(Path, table)).columns
            keys = [one.name for one in columns if one.group == "key" and one.name != RIVAL]
            run = list({(*map(row.get, keys), claim.rule.seen(row)): row for row in reversed(run)}.values())[::-1]
        decided = list(map(DecidedCell, run, claim.rule.decide(run), map(claim.rule.seen, run)))
    except KeyError as error:
        raise QuantriftError(
            f"claim {name}: {path} has no column {error}; make the table again, or correct the claim"
        ) from None
    return Judged(name, claim, scale, decided, smaller)


def together(cells: Mapping[str, int]) -> Outcome:
    """Outcome of all cells: most hold and none fails, or the reverse; in part where some do.

    Mixed where some hold and others fail, undecided where none is decided, missing where none was run.
    """
    total, holds, fails = sum(cells.values()), cells.get("holds", 0), cells.get("fails", 0)
    if not total:
        return "missing"
    if bool(holds) == bool(fails):
        return "mixed" if holds else "undecided"
    most = max(holds, fails) > total / 2
    return ("holds" if most else "holds in part") if holds else ("fails" if most else "fails in part")


class Settings(ClaimsTarget):
    """Claims of the papers, judged by the tables that `all` names."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """The tables that test the claims, of those that a plain run makes."""
    return {"tables": results.tables_of_all([claim.target for claim in settings.claims.values()])}


def states(settings: Settings, results: Results) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Settings of each claim that are smaller than published."""
    return {"smaller": {name: claim.smaller(results) for name, claim in settings.claims.items()}}


DETAILS = ("cells",)
COLUMNS = (
    key("work", "Work", kind="text"),
    key("place", "Place", kind="text"),
    Column("outcome", "Outcome", "text", "Holds where most cells hold and none fails; fails in the reverse case."),
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

    Tables of several scales may be given: ``scales`` of what is stated names the scale of a table where it is another.

    Raises:
        QuantriftError: a table lacks a column that a claim names.
    """
    tables = {name: path for (name,), path in given.one("tables").items()}
    tested = {name: claim for name, claim in settings.claims.items() if claim.target in tables}
    smaller, scales = given.stated.get("smaller", {}), given.stated.get("scales", {})
    found = [
        judged(name, claim, tables[claim.target], scales.get(claim.target, given.scale), smaller.get(name, ()))
        for name, claim in tested.items()
    ]
    found.sort(key=lambda one: one.claim.control)
    cells = [row for one in found for row in _cells(one, meaning_of(tables[one.claim.target]).columns)]
    return Table(
        frame(map(_row, found), COLUMNS),
        COLUMNS,
        _notes(found, given.scale, len(settings.claims) - len(tested)),
        details={"cells": Detail("Cells", frame(cells, CELLS), CELLS)},
    )


OUTCOMES: dict[Outcome, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "holds in part": ("holds in part", "hold in part"),
    "fails": ("fails", "fail"),
    "fails in part": ("fails in part", "fail in part"),
    "mixed": ("is mixed", "are mixed"),
    "undecided": ("is undecided", "are undecided"),
    "not testable": ("is not testable at this size", "are not testable at this size"),
    "missing": ("was not run", "were not run"),
}
"""Outcome -> the words for one claim with it, and for several."""


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Numbers of claims by outcome: the papers' claims, our own, and controls."""
    papers = "Of the papers' claims"
    titles = {OWN: "Of our own claims", CONTROLS: "Of the controls"}
    groups = grouped((titles.get(str(row["work"]), papers), row) for row in rows)
    yield from (
        f"{title} that tables of this run test, {counted(groups[title])}."
        for title in (papers, *titles.values())
        if title in groups
    )


def counted(rows: Sequence[Cells]) -> str:
    """The number of claims with each outcome, in words: ``2 hold, 1 fails``."""
    found = by(rows, "outcome")
    return ", ".join(
        f"{len(own)} {words[len(own) > 1]}" for name, words in OUTCOMES.items() if (own := found.get(name))
    )


def _row(one: Judged) -> dict[str, object]:
    claim = one.claim
    return {
        "work": claim.group,
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


def _cells(one: Judged, columns: Columns) -> list[dict[str, str]]:
    """The cells of a claim, each named by what tells its row from the other rows of the claim."""
    # Rows behind a table tell subjects apart, which those of the table itself may not.
    left_out = (RIVAL,) if one.claim.rule.kind == "bound" else ()
    keys = [
        name
        for name in dict.fromkeys([*SUBJECT, *(column.name for column in columns if column.group == "key")])
        if name not in left_out and one.claim.rows.get(name, ANY) == ANY
    ]
    return [
        {
            "claim": one.name,
            # Rows behind a table lack some of its keys.
            "cell": ", ".join(filter(None, map(cell.row.get, keys))),
            "decision": cell.decision,
            "values": cell.values,
        }
        for cell in one.decided
    ]


def _notes(found: Sequence[Judged], scale: str, untested: int) -> list[str]:
    """Notes: scale, sums, and the rule for outcomes."""
    sums = Counter(one.outcome for one in found)
    return [
        f"Scale: {scale}. Claims: {', '.join(f'{sums[name]} {name}' for name in sorted(sums)) or 'none'}.",
        "A cell is a row of the named table; a claim needs most of its cells, and is mixed where some hold and others "
        "fail. A test decides a cell where the table's adjusted p-value is below its level, a bound where the whole "
        "interval lies within or without it. Below a published size nothing is decided. An expected outcome is one "
        "that this code had before at the scale, not what a paper says.",
        f"Not as expected: {', '.join(surprises)}."
        if (surprises := [one.name for one in found if one.surprising])
        else "",
        f"{untested} more claims are tested by tables that this run does not have." if untested else "",
    ]
