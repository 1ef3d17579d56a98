"""Columns of tables: name, label, meaning and kind of values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal[
    "text", "id", "flag", "count", "bytes", "number", "fraction", "points", "effect", "p", "seconds", "decibel"
]
"""``id``: names something that has a title. ``flag``: yes or no. ``fraction``: 0..1, shown in percent. ``points``: a
difference of fractions, shown in percentage points. ``effect``: an effect size. ``p``: a p-value."""
Group = Literal["key", "measured", "published", "reference", "runs", "statistics", "end"]
"""``key`` identifies a row. ``reference`` was measured with the tool of a paper's authors. ``end`` is shown in the
cells of another column: the end of its interval, or a remark."""

UNITS: Mapping[Kind, str] = {"fraction": "%", "points": "pp", "decibel": "dB", "seconds": "s"}
_WORDS = ("text", "id")


@dataclass(frozen=True)
class Column:
    """A column, declared once for the CSV, the Markdown file and the page."""

    name: str
    """Heading in the CSV."""
    label: str
    """Heading for people, without its unit."""
    kind: Kind = "number"
    meaning: str = ""
    """One sentence for the glossary, empty where the label says it all."""
    group: Group = "measured"
    part: str = ""
    """The quantity that a statistic is about, for people; empty for all other columns."""
    low: str = ""
    """Column of the lower end of its interval."""
    high: str = ""
    """Column of the upper end."""
    rests_on: str = ""
    """Column that states in words the number of cases, where they are few."""
    no_effect: float | None = None
    """Of an effect size: its value where there is no effect, which is 1 for ratios. Figures mark it."""
    p: str = ""
    """Of an effect size: column of the p-value of its test, adjusted."""
    beside: str = ""
    """Of a published or reference column: the column of ours that it stands beside, where the table has it."""
    as_number: bool = False
    """Of a flag: the CSV states it as 1 or 0, as the papers' files do."""

    @property
    def unit(self) -> str:
        """Unit after the heading; empty for plain numbers."""
        return UNITS.get(self.kind, "")

    @property
    def dtype(self) -> str:
        """Of pandas."""
        if self.kind in _WORDS:
            return "object"
        numbers = "Int64" if self.kind in ("count", "bytes") else "float64"
        return "boolean" if self.kind == "flag" and not self.as_number else numbers

    @property
    def is_words(self) -> bool:
        """Whether its cells show words."""
        return self.kind in (*_WORDS, "flag")


Columns = tuple[Column, ...]


def key(name: str, label: str, meaning: str = "", kind: Kind = "id") -> Column:
    """A column that identifies a row."""
    return Column(name, label, kind, meaning, "key")


def with_interval(column: Column, rests_on: str = "") -> Columns:
    """A column and those of the ends of its interval, ``<name>_low`` and ``<name>_high``.

    With ``rests_on``, also the column that states in words the number of cases, where they are few.
    """
    low, high = f"{column.name}_low", f"{column.name}_high"
    return (
        replace(column, low=low, high=high, rests_on=rests_on),
        end(low, column),
        end(high, column),
        *([remark(rests_on)] if rests_on else []),
    )


def end(name: str, of: Column) -> Column:
    """An end of the interval of a column."""
    return Column(name, of.label, of.kind, group="end")


def remark(name: str) -> Column:
    """A column of words that are shown in the cells of another column."""
    return Column(name, "", "text", group="end")


def published(column: Column, name: str = "") -> Column:
    """The column of the papers' numbers beside a column of ours, ``published_<name>`` unless another name is given."""
    name = name or f"published_{column.name}"
    return replace(
        column,
        name=name,
        group="published",
        part="",
        low="",
        high="",
        rests_on="",
        no_effect=None,
        p="",
        beside=column.name,
    )


def reference(column: Column, name: str = "") -> Column:
    """The column of what a paper's authors' own tool gave when it was run for comparison, beside a column of ours.

    Its name is ``reference_<name>``; such numbers stand in no paper.
    """
    return replace(published(column), name=f"reference_{name or column.name}", group="reference")


SCALE = Column("scale", "Scale", "text", "Id of the configuration.", "end")
"""Last column of each table; a page has it in its header."""


def frame(rows: Iterable[Mapping[Any, Any]], columns: Columns) -> "pd.DataFrame":
    """Rows as a table with the columns in their order, each of its dtype; values that a row lacks are empty."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=[column.name for column in columns]).astype(
        {column.name: column.dtype for column in columns}
    )
