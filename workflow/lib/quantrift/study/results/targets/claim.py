"""A claim of a paper or of our own: a sentence, the cells that test it, and the rule that decides."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.page.made_table import detail_of
from quantrift.core.settings.fields import Id, Strict
from quantrift.study.results.targets.claim_rules import Bound, Outcome, Test, Verdict
from quantrift.study.results.targets.target import Target

ANY = "any"
"""In ``rows``: whatever stands there, but not nothing."""


class Claim(Strict):
    """A claim of a paper, or one of our own."""

    work: Literal["DiverGet", "DiffChaser", "TriggerFinder", "Thesis", "Quantrift"]
    """The paper, or Quantrift where no paper claims it."""
    place: str
    """Section, table or finding of the paper, or our document."""
    sentence: str
    """The claim in the paper's words, or in ours where the paper shows it by numbers alone."""
    target: Id
    """Table that tests it."""
    detail: Id | None = None
    """Rows behind that table that test it, ``<target>.<detail>.csv``, where its own do not."""
    rows: dict[str, str]
    """Values of the rows that test it, by column; each row is a cell that is decided by itself."""
    rule: Annotated[Verdict | Test | Bound, Field(discriminator="kind")]
    published: str | None = None
    """Numbers of the paper, in words."""
    expected: dict[Id, Outcome] = Field(default_factory=dict)
    """Outcome that this code has at a scale, as measured before; where none is stated, none is checked."""
    why: dict[Id, str] = Field(default_factory=dict)
    """Why it does not hold, or cannot be decided, at a scale."""

    def file(self, table: Path) -> Path:
        """The CSV whose rows test it, by that of its table."""
        return detail_of(table, self.detail) if self.detail else table

    def tests(self, row: Mapping[str, str]) -> bool:
        """True for a row of the table that is one of the cells."""
        return all(
            bool(row.get(column)) if wanted == ANY else row.get(column) == wanted
            for column, wanted in self.rows.items()
        )


class ClaimsTarget(Target):
    """A target with the claims of the papers."""

    claims: dict[Id, Claim]
    """Claims by name, in the order in which they are shown."""
