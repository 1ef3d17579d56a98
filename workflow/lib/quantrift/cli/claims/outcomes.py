"""Outcomes of claims: from the tables of a results folder to holds, fails, undecided or missing."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from quantrift.base.errors import QuantriftError
from quantrift.base.paths import Paths
from quantrift.cli.claims.claim import Claim, Outcome


@dataclass(frozen=True)
class Judged:
    """A claim and its outcome at one scale."""

    name: str
    claim: Claim
    outcome: Outcome
    cells: Mapping[str, int]
    """Number of cells that hold, fail and are undecided."""
    seen: str
    """What decided the first cell, for people; empty where nothing was run."""
    expected: Outcome | None
    """Outcome that was measured before at this scale, if any."""

    @property
    def surprising(self) -> bool:
        """Whether another outcome was expected."""
        return self.expected is not None and self.outcome != self.expected


def judged(claims: Mapping[str, Claim], paths: Paths, scale: str) -> Iterator[Judged]:
    """The claims in their order, judged by the tables in a results folder.

    Raises:
        QuantriftError: if a table lacks a column that a claim names.
    """
    for name, claim in claims.items():
        path = paths.table(claim.target).with_suffix(".csv")
        expected = claim.expected.get(scale)
        try:
            decided = _decided(name, claim, path)
        except FileNotFoundError:
            decided = []
        cells = Counter(decision for decision, _ in decided)
        seen = decided[0][1] if decided else ""
        yield Judged(name, claim, together(cells), cells, seen, expected)


def together(cells: Mapping[str, int]) -> Outcome:
    """Outcome of all cells: some hold and none fails, or the reverse; else undecided; missing where none was run."""
    if not sum(cells.values()):
        return "missing"
    holds, fails = cells.get("holds", 0), cells.get("fails", 0)
    if holds and not fails:
        return "holds"
    return "fails" if fails and not holds else "undecided"


def _decided(name: str, claim: Claim, path: Path) -> list[tuple[str, str]]:
    """Decision of each cell that was run, and what decided it."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if claim.tests(row)]
    try:
        run = [row for row in rows if claim.rule.was_run(row)]
        return list(zip(claim.rule.decide(run), map(claim.rule.seen, run), strict=True))
    except KeyError as error:
        raise QuantriftError(
            f"claim {name}: {path} has no column {error}; make the table again, or correct the claim"
        ) from None
