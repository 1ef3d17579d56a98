"""Outcomes of claims: from the tables of a results folder to holds, fails, undecided or missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.base.errors import QuantriftError
from quantrift.base.paths import Paths
from quantrift.cli.claims.claim import Claim, Outcome
from quantrift.cli.claims.rules import Decision
from quantrift.tables.arrangement import records


@dataclass(frozen=True)
class Judged:
    """A claim and the decisions on its cells at one scale."""

    name: str
    claim: Claim
    scale: str
    decided: Sequence[tuple[Decision, str]]
    """Decision of each cell that was run, and the values that led to it, in words."""

    @property
    def cells(self) -> Mapping[str, int]:
        """Number of cells that hold, fail and are undecided."""
        return Counter(decision for decision, _ in self.decided)

    @property
    def outcome(self) -> Outcome:
        """Outcome of all cells."""
        return together(self.cells)

    @property
    def expected(self) -> Outcome | None:
        """Outcome that was measured before at this scale, if any."""
        return self.claim.expected.get(self.scale)

    @property
    def surprising(self) -> bool:
        """True where another outcome was expected."""
        return self.expected is not None and self.outcome != self.expected


def judged(claims: Mapping[str, Claim], paths: Paths, scale: str) -> Iterator[Judged]:
    """The claims in their order, judged by the tables in a results folder.

    Raises:
        QuantriftError: if a table is damaged, or lacks a column that a claim names.
    """
    for name, claim in claims.items():
        path = paths.table(claim.target).with_suffix(".csv")
        yield Judged(name, claim, scale, _decided(name, claim, path) if path.is_file() else [])


def together(cells: Mapping[str, int]) -> Outcome:
    """Outcome of all cells: some hold and none fails, or the reverse; else undecided; missing where none was run."""
    if not sum(cells.values()):
        return "missing"
    holds, fails = cells.get("holds", 0), cells.get("fails", 0)
    if holds and not fails:
        return "holds"
    return "fails" if fails and not holds else "undecided"


def _decided(name: str, claim: Claim, path: Path) -> list[tuple[Decision, str]]:
    """Decision of each cell that was run, and the values that led to it."""
    try:
        run = [row for row in records(path) if claim.tests(row) and claim.rule.was_run(row)]
        return list(zip(claim.rule.decide(run), map(claim.rule.seen, run), strict=True))
    except KeyError as error:
        raise QuantriftError(
            f"claim {name}: {path} has no column {error}; make the table again, or correct the claim"
        ) from None
