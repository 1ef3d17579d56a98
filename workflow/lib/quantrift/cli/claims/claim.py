"""Claims of the papers (config/claims.yaml): a sentence, the cells of a table that test it, the rule that decides."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from quantrift.base.errors import QuantriftError, first_mistake
from quantrift.base.yaml_files import read_yaml
from quantrift.cli.claims.rules import Bound, Test, Verdict
from quantrift.config.fields import Id, Strict

Outcome = Literal["holds", "fails", "undecided", "missing"]
ANY = "any"
"""In ``rows``: whatever stands there, but not nothing."""


class Claim(Strict):
    """A claim of a paper."""

    work: Literal["DiverGet", "DiffChaser", "TriggerFinder", "Thesis"]
    place: str
    """Section, table or finding of the paper."""
    sentence: str
    """The claim in the paper's words, or in ours where the paper shows it by numbers alone."""
    target: Id
    """Table that tests it."""
    rows: dict[str, str]
    """Values of the rows that test it, by column; each row is a cell that is decided by itself."""
    rule: Annotated[Verdict | Test | Bound, Field(discriminator="kind")]
    published: str | None = None
    """Numbers of the paper, in words."""
    expected: dict[Id, Outcome] = Field(default_factory=dict)
    """Outcome that this code has at a scale, as measured before; where none is stated, none is checked."""
    why: dict[Id, str] = Field(default_factory=dict)
    """Why it does not hold, or cannot be decided, at a scale."""

    def tests(self, row: Mapping[str, str]) -> bool:
        """True for a row of the table that is one of the cells."""
        return all(
            bool(row.get(column)) if wanted == ANY else row.get(column) == wanted
            for column, wanted in self.rows.items()
        )


class Claims(Strict):
    """Content of a file of claims."""

    claims: dict[Id, Claim]


def load(path: Path) -> dict[str, Claim]:
    """The claims of a file.

    Raises:
        QuantriftError: if it cannot be read, or says something that a claim does not have.
    """
    try:
        return Claims.model_validate(read_yaml(path)).claims
    except ValidationError as error:
        raise QuantriftError(f"{path}: {first_mistake(error)}") from None
