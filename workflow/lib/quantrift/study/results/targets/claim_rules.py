"""Rules that decide a claim in the rows of a table, each a cell of its own."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, cast

from annotated_types import Gt, Lt
from pydantic import model_validator

from quantrift.core.settings.fields import Strict
from quantrift.core.statistics.statistics import ALPHA, holm

Decision = Literal["holds", "fails", "undecided"]
Outcome = Literal[Decision, "missing"]
"""Outcome of all cells of a claim; ``missing`` where none was run."""
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
    """A test decides that a quantity lies above or below a number, mostly a difference above or below 0.

    The cells of a claim are its family: their p-values are adjusted by Holm's method among themselves.
    """

    __test__ = False

    kind: Literal["test"]
    column: str
    """The quantity."""
    minus: str | None = None
    """Column that is subtracted from it."""
    above: float | None = None
    below: float | None = None
    p: str
    """Column of the p-value of a two-sided test, not adjusted yet."""
    alpha: Annotated[float, Gt(0), Lt(1)] = ALPHA

    @model_validator(mode="after")
    def _one_side(self) -> "Test":
        if (self.above is None) == (self.below is None):
            raise ValueError("state either above or below")
        return self

    def was_run(self, row: Row) -> bool:
        """True for a row that holds the deciding values."""
        return super().was_run(row) and bool(row[self.p] and (self.minus is None or row[self.minus]))

    def decide(self, rows: Sequence[Row]) -> list[Decision]:
        """Holds or fails where the test is significant, by the side on which the quantity lies."""
        adjusted = cast(list[float], holm([float(row[self.p]) for row in rows]))
        return [
            "undecided" if p >= self.alpha else "holds" if self._right(self._value(row)) else "fails"
            for row, p in zip(rows, adjusted, strict=True)
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

    @model_validator(mode="after")
    def _some_bound(self) -> "Bound":
        if self.at_least is None and self.at_most is None:
            raise ValueError("state at_least, at_most or both")
        return self

    def decide(self, rows: Sequence[Row]) -> list[Decision]:
        """Holds where the whole interval is within the bounds, fails where none of it is.

        Without an interval nobody knows, so it is undecided.
        """
        return [self._decided(row) for row in rows]

    def _interval(self, row: Row) -> tuple[str, str] | None:
        low, high = row.get(f"{self.column}_low"), row.get(f"{self.column}_high")
        return (low, high) if low and high else None

    def _decided(self, row: Row) -> Decision:
        interval = self._interval(row)
        if interval is None:
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
