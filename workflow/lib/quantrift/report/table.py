"""A result table read from its CSV and arranged for the page."""

import base64
import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from quantrift.config.errors import QuantriftError
from quantrift.report.columns import GROUP_TITLES, Column, describe
from quantrift.report.numbers import number, shown
from quantrift.report.spreadsheet import harmless

_SUBJECT = ("dataset", "model", "compression")


@dataclass(frozen=True)
class Cell:
    """One cell as it is shown."""

    text: str
    empty: str = ""
    """Why the cell is empty; such a cell has no value to sort by and stays last."""
    value: str = ""
    """What the cell is sorted by: the exact number, or the text."""
    bar: str = ""
    """Length of the bar under a percentage, 0 to 1, empty without one."""


@dataclass(frozen=True)
class Body:
    """Rows that belong together: those of one subject, or all."""

    heading: str
    simulated: bool
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Table:
    """A table ready for the template."""

    columns: list[Column]
    classes: list[str]
    """CSS classes of each column."""
    spans: list[tuple[str, str, int]]
    """CSS classes, heading and number of columns of each group, in the order of the columns."""
    parts: list[tuple[str, int]]
    """What there are statistics of, each behind its own switch, and how many columns that is."""
    bodies: list[Body]
    csv: str
    """The file for spreadsheets, base64, so that the page can hand it out without a request."""


def read(path: Path, scale: str, names: Mapping[str, str], simulated: frozenset[str]) -> Table:
    """Arrange the CSV at ``path``.

    ``names`` gives names for people by id, ``simulated`` the ids of simulated datasets. Tables with several tools
    a subject are divided by subject. Columns stand by group, in the file's order within each; a ``scale`` column
    that only repeats the page's scale is left out. Raises ``QuantriftError`` for a file that is no table.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise QuantriftError(f"report: cannot read {path}: {error.strerror}; make its target first") from None
    reader = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))
    header, records = list(reader.fieldnames or ()), list(reader)
    if any(None in record or None in record.values() for record in records):
        raise QuantriftError(f"report: {path} has rows of different length; make its target again")
    if {record.get("scale") for record in records} <= {scale, ""}:
        header = [name for name in header if name != "scale"]
    columns = [_named(describe(name, _numeric(name, records)), names) for name in header]
    divided = "tool" in header and len({_subject(r) for r in records}) < len(records)
    if divided:
        columns = [column for column in columns if column.name not in _SUBJECT]
    parts = Counter(column.part for column in columns if column.part)
    order = [*((group, "") for group in GROUP_TITLES), *(("statistics", part) for part in parts)]
    columns.sort(key=lambda column: order.index((column.group, column.part)))
    marks = {(column.group, column.part): _mark(column, list(parts)) for column in columns}
    return Table(
        columns=columns,
        classes=[marks[c.group, c.part] + ("" if c.kind == "text" else " num") for c in columns],
        spans=[
            (marks[group, part], f"{GROUP_TITLES[group]}{part and ' of ' + part}", len(list(same)))
            for (group, part), same in groupby(columns, lambda c: (c.group, c.part))
        ],
        parts=list(parts.items()),
        bodies=_bodies(records, columns, names, simulated, divided),
        csv=base64.b64encode(harmless(content)).decode("ascii"),
    )


def _named(column: Column, names: Mapping[str, str]) -> Column:
    """The column with a name for people, where it is called like a tool."""
    return replace(column, label=names[column.name]) if column.name in names else column


def _mark(column: Column, parts: list[str]) -> str:
    return f"statistics part-{parts.index(column.part)}" if column.part else column.group


def _bodies(
    records: list[dict[str, str]],
    columns: list[Column],
    names: Mapping[str, str],
    simulated: frozenset[str],
    divided: bool,
) -> list[Body]:
    if not divided:
        return [Body("", False, [_row(record, columns, names, simulated) for record in records])]
    subjects: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for record in records:
        subjects.setdefault(_subject(record), []).append(record)
    return [
        Body(
            " · ".join([*(names.get(part, part) for part in subject if part), *_mean(rows[0])]),
            subject[0] in simulated,
            [_row(record, columns, names, simulated) for record in rows],
        )
        for subject, rows in subjects.items()
    ]


def _mean(record: dict[str, str]) -> list[str]:
    """A word for rows that are means over some of what names a subject."""
    return ["mean"] if any(record.get(name) == "" for name in _SUBJECT) else []


def _row(
    record: dict[str, str], columns: list[Column], names: Mapping[str, str], simulated: frozenset[str]
) -> list[Cell]:
    was_run = any(number(record[c.name]) is not None for c in columns if c.group == "measured" and c.kind != "text")
    return [_cell(record[column.name], column, names, simulated, was_run) for column in columns]


def _cell(text: str, column: Column, names: Mapping[str, str], simulated: frozenset[str], was_run: bool) -> Cell:
    value = number(text)
    if not text.strip() or (column.kind != "text" and value is None):
        if column.group in ("measured", "runs") and not was_run:
            return Cell("not run", "not run")
        return Cell("\u2013", "not published" if column.group == "published" else "no value")
    if column.kind == "text" or value is None:
        label = names.get(text, text)
        return Cell(
            f"{label} (simulated)" if column.name == "dataset" and _marked(text, label, simulated) else label,
            value=label,
        )
    bar = f"{min(max(value, 0), 1):.4f}" if column.kind == "percent" and column.group != "statistics" else ""
    return Cell(shown(value, column.kind), value=repr(value), bar=bar)


def _marked(text: str, label: str, simulated: frozenset[str]) -> bool:
    """Whether a simulated dataset's name does not already say so."""
    return text in simulated and "simulated" not in label.lower()


def _numeric(name: str, records: list[dict[str, str]]) -> bool:
    """Whether a column holds numbers only; a column of nothing but gaps counts as numbers unless it is a key."""
    return describe(name, False).group != "key" and all(
        number(record[name]) is not None or record[name].strip().lower() in ("", "nan") for record in records
    )


def _subject(record: dict[str, str]) -> tuple[str, ...]:
    return tuple(record.get(name, "") for name in _SUBJECT)
