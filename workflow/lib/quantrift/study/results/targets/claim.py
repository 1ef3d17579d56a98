"""A claim of a paper or of our own: a sentence, the cells that test it, and the rule that decides.

Each row of a table that tests a claim is a cell of its own.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from annotated_types import Gt, Lt
from pydantic import Field

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.made_table import detail_of
from quantrift.core.settings.fields import Id, Strict
from quantrift.core.statistics.statistics import ALPHA
from quantrift.study.results.targets.results import Results
from quantrift.study.results.targets.target import Target

ANY = "any"
"""In ``rows``: whatever stands there, but not nothing."""
Decision = Literal["holds", "fails", "undecided"]
Outcome = Literal[Decision, "holds in part", "fails in part", "mixed", "not testable", "missing"]
"""Outcome of all cells of a claim (docs/reproduced.md)."""
CONTROLS, OWN = "Controls", "Quantrift"
"""Groups of claims that no paper makes: tests of another explanation, and our own."""
RIVAL = "against"
"""Column of the tool that a row compares with; a quantity of one tool stands in a row for each."""
Row = Mapping[str, str]


class _OfColumn(Strict):
    """A rule that one column decides."""

    column: str

    def was_run(self, row: Row) -> bool:
        """True for a row that holds the deciding values."""
        return bool(row[self.column])


class Verdict(_OfColumn):
    """The table states the outcome itself, as that of findings does."""

    kind: Literal["verdict"]
    column: str = "verdict"
    holds: str = "holds"
    """The table's word where the claim holds."""
    fails: str = "fails"
    """The table's word where it fails; any other one is undecided."""

    def decide(self, rows: Sequence[Row]) -> list[Decision]:
        """The outcome of each row."""
        known: dict[str, Decision] = {self.holds: "holds", self.fails: "fails"}
        return [known.get(row[self.column], "undecided") for row in rows]

    def seen(self, row: Row) -> str:
        """The outcome, as the table has it."""
        return row[self.column]


class Test(_OfColumn):
    """A test decides that a quantity lies above or below a number, mostly a difference above or below 0."""

    __test__ = False

    kind: Literal["test"]
    column: str
    """The quantity."""
    minus: str | None = None
    """Column that is subtracted from it."""
    above: float | None = None
    below: float | None = None
    p: str
    """Column of the p-value of a two-sided test, adjusted over the tests of the table that were planned."""
    alpha: Annotated[float, Gt(0), Lt(1)] = ALPHA

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        return {
            "state either above or below": (self.above is None) == (self.below is None),
            f"p: '{self.p}' is not adjusted; name the column of p after Holm's correction": not self.p.endswith(
                "_holm"
            ),
        }

    def was_run(self, row: Row) -> bool:
        """True for a row that holds the deciding values."""
        return super().was_run(row) and bool(row[self.p] and (self.minus is None or row[self.minus]))

    def decide(self, rows: Sequence[Row]) -> list[Decision]:
        """Holds or fails where the test is significant, by the side on which the quantity lies."""
        return [
            "undecided" if float(row[self.p]) >= self.alpha else "holds" if self._right(self._value(row)) else "fails"
            for row in rows
        ]

    def _value(self, row: Row) -> float:
        return float(row[self.column]) - (float(row[self.minus]) if self.minus else 0)

    def _right(self, value: float) -> bool:
        return value > self.above if self.above is not None else value < cast(float, self.below)

    def seen(self, row: Row) -> str:
        """The quantity and the p-value."""
        name = f"{self.column} - {self.minus}" if self.minus else self.column
        return f"{name} {self._value(row):.3g}, p {_short(row[self.p])}"


class Bound(_OfColumn):
    """A quantity with an interval lies above or below a number, or near it."""

    kind: Literal["bound"]
    column: str
    """The quantity; its interval stands in the columns of the same name with ``_low`` and ``_high``."""
    at_least: float | None = None
    at_most: float | None = None
    """Both: between them."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        return {"state at_least, at_most or both": self.at_least is None and self.at_most is None}

    def decide(self, rows: Sequence[Row]) -> list[Decision]:
        """Holds where the whole interval is within the bounds, fails where none of it is.

        Without an interval nobody knows, so it is undecided.
        """
        return [self._decided(row) for row in rows]

    def _interval(self, row: Row) -> tuple[str, str] | None:
        low, high = row.get(f"{self.column}_low"), row.get(f"{self.column}_high")
        return (low, high) if low and high else None

    def _decided(self, row: Row) -> Decision:
        if (interval := self._interval(row)) is None:
            return "undecided"
        low, high = map(float, interval)
        least = float("-inf") if self.at_least is None else self.at_least
        most = float("inf") if self.at_most is None else self.at_most
        if least <= low and high <= most:
            return "holds"
        return "fails" if high < least or low > most else "undecided"

    def seen(self, row: Row) -> str:
        """The quantity and its interval."""
        interval = self._interval(row)
        shown = f" [{', '.join(map(_short, interval))}]" if interval else ", no interval"
        return f"{self.column} {_short(row[self.column])}{shown}"


def _short(number: str) -> str:
    return f"{float(number):.3g}"


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
    rows: dict[str, str | list[str]]
    """Values of the rows that test it, by column, or several of them; each row is a cell that is decided by itself."""
    rule: Annotated[Verdict | Test | Bound, Field(discriminator="kind")]
    control: bool = False
    """True where no paper claims it: it tests another explanation of a claim."""
    full: dict[str, float | str | list[str]] = Field(default_factory=dict)
    """Settings that must be as large as published, by their place in the configuration, such as
    ``protocols.rq1.inputs``; names of a list must be among the stated ones."""
    published: str | None = None
    """Numbers of the paper, in words."""
    expected: dict[Id, Outcome] = Field(default_factory=dict)
    """Outcome that this code has at a scale, as measured before; where none is stated, none is checked."""
    why: dict[Id, str] = Field(default_factory=dict)
    """Why it does not hold, or cannot be decided, at a scale."""

    @property
    def group(self) -> str:
        """The work that makes it, or ``CONTROLS``."""
        return CONTROLS if self.control else self.work

    def smaller(self, results: Results) -> list[str]:
        """The settings of a run that are smaller than published, each in words.

        Raises:
            QuantriftError: the configuration has no such setting.
        """
        return [
            f"{place} is {_words(stated)} of {_words(published)}"
            for place, published in self.full.items()
            for stated in [_at(results, place)]
            if not _reaches(stated, published)
        ]

    def file(self, table: Path) -> Path:
        """The CSV whose rows test it, by that of its table."""
        return detail_of(table, self.detail) if self.detail else table

    def tests(self, row: Mapping[str, str]) -> bool:
        """True for a row of the table that is one of the cells."""
        return all(
            bool(row.get(column))
            if wanted == ANY
            else row.get(column) in ([wanted] if isinstance(wanted, str) else wanted)
            for column, wanted in self.rows.items()
        )


def _at(results: Results, place: str) -> Any:
    try:
        return results.setting(place)
    except (KeyError, AttributeError):
        raise QuantriftError(f"claims: full: the configuration has no {place}; correct the claim") from None


def _reaches(stated: Any, published: float | str | list[str]) -> bool:
    if isinstance(published, list):
        return {*published} <= {*stated}
    # Neither a number of inputs nor "all": no input is left out.
    return stated in ("all", None, published) or (isinstance(published, float) and float(stated) >= published)


def _words(value: Any) -> str:
    return (
        ", ".join(value)
        if isinstance(value, list | tuple)
        else f"{value:,g}"
        if isinstance(value, float | int)
        else value
    )


class ClaimsTarget(Target):
    """A target with the claims of the papers."""

    claims: dict[Id, Claim]
    """Claims by name, in the order in which they are shown."""
