"""Outcomes of claims: from the tables of a results folder to holds, fails, undecided or missing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.arrangement import records
from quantrift.study.results.targets.claim import Claim, Decision, Outcome


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

    @property
    def cells(self) -> Mapping[str, int]:
        """Number of cells that hold, fail and are undecided."""
        return Counter(cell.decision for cell in self.decided)

    @property
    def outcome(self) -> Outcome:
        """Outcome of all cells."""
        return together(self.cells)

    @property
    def expected(self) -> Outcome | None:
        """Outcome that was measured before at this scale, if any."""
        return self.claim.expected.get(self.scale)

    @property
    def why(self) -> str | None:
        """Why it does not hold, or cannot be decided, at this scale, if that is stated."""
        return self.claim.why.get(self.scale) if self.outcome in ("fails", "undecided") else None

    @property
    def surprising(self) -> bool:
        """True where another outcome was expected."""
        return self.expected is not None and self.outcome != self.expected


def judged(name: str, claim: Claim, table: Path | None, scale: str) -> Judged:
    """A claim, judged by the rows of its table or of those behind it, or missing where that was not made.

    Raises:
        QuantriftError: if the table is damaged, or lacks a column that the claim names.
    """
    return Judged(name, claim, scale, _decided(name, claim, claim.file(table)) if table else [])


def together(cells: Mapping[str, int]) -> Outcome:
    """Outcome of all cells: some hold and none fails, or the reverse; else undecided; missing where none was run."""
    if not sum(cells.values()):
        return "missing"
    holds, fails = cells.get("holds", 0), cells.get("fails", 0)
    if holds and not fails:
        return "holds"
    return "fails" if fails and not holds else "undecided"


def _decided(name: str, claim: Claim, path: Path) -> list[DecidedCell]:
    try:
        run = [row for row in records(path) if claim.tests(row) and claim.rule.was_run(row)]
        return list(map(DecidedCell, run, claim.rule.decide(run), map(claim.rule.seen, run)))
    except KeyError as error:
        raise QuantriftError(
            f"claim {name}: {path} has no column {error}; make the table again, or correct the claim"
        ) from None
