"""Layout of a table for readers: display names of ids, groups of columns, rows of cells as they are shown."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.grouped import grouped
from quantrift.core.page.number_format import number, shown
from quantrift.core.settings.datasets import Dataset
from quantrift.core.statistics.column import Column, Group
from quantrift.core.statistics.published import SUBJECT

GROUP_TITLES: Mapping[Group, str] = {
    "key": "",
    "measured": "Measured here",
    "published": "Published",
    "reference": "Authors' tool, measured",
    "runs": "Runs",
    "statistics": "Statistics",
}
"""Groups of columns in their order, with headings: the long statistics last."""
_ABSENT: Mapping[Group, str] = {"published": "not published", "reference": "not measured"}
_FLAGS = {"true": "yes", "false": "no", "1": "yes", "0": "no"}


@dataclass(frozen=True)
class Names:
    """Display names."""

    titles: Mapping[str, str] = field(default_factory=dict)
    """By id."""
    simulated: frozenset[str] = frozenset()
    """Ids of the simulated datasets."""

    @classmethod
    def of(cls, titles: Mapping[str, str], datasets: Mapping[str, Dataset]) -> "Names":
        """Names from settings.

        Args:
            titles: by id, as the configuration states them (``quantrift.study.planning.result_files``).
            datasets: settings by id; their titles go before.
        """
        return cls(
            {**titles, **{name: dataset.title for name, dataset in datasets.items()}},
            frozenset(name for name, dataset in datasets.items() if dataset.simulated),
        )

    def with_own(self, own: Mapping[str, str]) -> "Names":
        """The same with names that a table has of its own, which go before."""
        return replace(self, titles={**self.titles, **own})

    def marked(self, one: str, label: str) -> str:
        """A label of an id; that of a simulated dataset says that it is."""
        return f"{label} (simulated)" if one in self.simulated and "simulated" not in label.lower() else label

    @property
    def in_text(self) -> dict[str, str]:
        """Titles for figures, where nothing but the words tells that data are simulated."""
        return {one: self.marked(one, title) for one, title in self.titles.items()}


@dataclass(frozen=True)
class Cell:
    """One cell as it is shown."""

    text: str
    empty: str = ""
    """Why the cell is empty; such a cell has no value to sort by and stays last."""
    value: str = ""
    """Sort key of the cell: the number with nine digits, or the text."""


@dataclass(frozen=True)
class Body:
    """A block of rows: those of one subject, or all."""

    heading: str
    simulated: bool
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Span:
    """A group of neighbouring columns."""

    group: Group
    part: str
    count: int

    @property
    def heading(self) -> str:
        """Heading of the group."""
        return f"{GROUP_TITLES[self.group]}{self.part and f' of {self.part}'}"


@dataclass(frozen=True)
class Arranged:
    """A table ready for a template."""

    columns: list[Column]
    """Columns that are shown as such, group by group."""
    bodies: list[Body]

    @property
    def spans(self) -> list[Span]:
        """The groups of columns, in their order."""
        return [
            Span(group, part, len(list(columns)))
            for (group, part), columns in groupby(self.columns, lambda column: (column.group, column.part))
        ]

    @property
    def parts(self) -> dict[str, int]:
        """Rates with statistics, and the number of columns of each."""
        return {span.part: span.count for span in self.spans if span.part}


def records(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file as text. Raises ``QuantriftError`` for a file that is no table."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise QuantriftError(f"cannot read {path}: {error.strerror}; make its target first") from None
    found = list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))
    uneven = any(None in record or None in record.values() for record in found)
    refuse((uneven, f"{path} has rows of different length; make its target again"))
    return found


def arrange(
    rows: Sequence[Mapping[str, str]], columns: Sequence[Column], names: Names, *, divide: bool = True
) -> Arranged:
    """Arrange rows for readers.

    Columns stand by group, in their own order within each. Before the other measured columns come those with a
    published number, which stands beside its column. The ends of intervals and remarks stand in the cells of the column
    that they belong to.

    Args:
        rows: cells of the CSV.
        columns: of the CSV.
        names: display names.
        divide: whether a table with several tools a subject is divided by subject.
    """
    divided = divide and "tool" in {column.name for column in columns} and len(set(map(_subject, rows))) < len(rows)
    shown_columns = [column for column in columns if column.group != "end" and not (divided and column.name in SUBJECT)]
    parts = dict.fromkeys(column.part for column in shown_columns if column.part)
    order = [*((group, "") for group in GROUP_TITLES), *(("statistics", part) for part in parts)]
    paired = [column.name for column in shown_columns if any(one.beside == column.name for one in shown_columns)]
    shown_columns.sort(
        key=lambda column: (
            1 if (own := column.beside or column.name) in paired else order.index((column.group, column.part)),
            paired.index(own) if own in paired else len(paired),
            order.index((column.group, column.part)),
        )
    )
    return Arranged(shown_columns, list(_bodies(rows, shown_columns, names, divided)))


def _bodies(
    rows: Sequence[Mapping[str, str]], columns: Sequence[Column], names: Names, divided: bool
) -> Iterator[Body]:
    if not divided:
        yield Body("", False, [_row(row, columns, names) for row in rows])
        return
    for subject, own in grouped((_subject(row), row) for row in rows).items():
        words = [names.titles.get(part, part) for part in subject if part]
        # A row that is a mean over datasets, networks or compressions says so.
        words += ["mean"] if any(own[0].get(name) == "" for name in SUBJECT) else []
        yield Body(" · ".join(words), subject[0] in names.simulated, [_row(row, columns, names) for row in own])


def _row(row: Mapping[str, str], columns: Sequence[Column], names: Names) -> list[Cell]:
    was_run = any(number(row[one.name]) is not None for one in columns if one.group == "measured" and not one.is_words)
    return [_cell(row, column, names, was_run) for column in columns]


def _cell(row: Mapping[str, str], column: Column, names: Names, was_run: bool) -> Cell:
    text = row[column.name]
    value = None if column.is_words else number(text)
    if not text.strip() or (value is None and not column.is_words):
        if column.group in ("measured", "runs") and not was_run:
            return Cell("not run", "not run")
        return Cell("\u2013", _ABSENT.get(column.group, "no value"))
    if value is None:
        titles = {"flag": _FLAGS, "id": names.titles}.get(column.kind, {})
        label = titles.get(text.lower() if column.kind == "flag" else text, text)
        return Cell(names.marked(text, label) if column.name == "dataset" else label, value=label)
    return Cell(shown(value, column.kind) + _beside(row, column), value=f"{value:.9g}")


def _beside(row: Mapping[str, str], column: Column) -> str:
    """The interval of a value, and the number of cases it rests on, in words, where these are few."""
    low, high = (number(row.get(name, "")) if name else None for name in (column.low, column.high))
    ends = "" if low is None or high is None else f" [{shown(low, column.kind)}, {shown(high, column.kind)}]"
    words = row.get(column.rests_on, "") if column.rests_on else ""
    return ends + (f" ({words})" if words else "")


def _subject(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row.get(name, "") for name in SUBJECT)
