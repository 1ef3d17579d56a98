"""Finished tables as pages and figures read them: rows, and what stands in files beside the CSV.

These hold the meaning of a table, that is columns, display names and answer, and its details.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import read_json
from quantrift.core.page.arrangement import records
from quantrift.core.statistics.column import Columns
from quantrift.core.statistics.published import SUBJECT

AGAINST = "against"
"""Key that names what the statistics of a row compare with; measured values do not depend on it."""

Row = Mapping[str, str]
"""Name of a column -> cell as the CSV has it."""


@dataclass(frozen=True)
class Meaning:
    """Content of ``<stem>.columns.json``."""

    columns: Columns
    names: Mapping[str, str]
    """Display names that the table has of its own, by id."""
    answer: tuple[str, ...] = ()
    """Sentences that answer the question of the target; none where its kind has no answer."""


@dataclass(frozen=True)
class MadeTable:
    """A table that was made before."""

    rows: Sequence[Row]
    columns: Columns
    names: Mapping[str, str]
    """Display names by id; the table's own go before those of the configuration."""

    def value(self, row: Row, name: str) -> float | None:
        """The number in a cell, fractions in percent; None for an empty cell, and where there is no such column."""
        kind = next((one.kind for one in self.columns if one.name == name), None)
        if kind is None or not row[name]:
            return None
        return 100 * float(row[name]) if kind in ("fraction", "points") else float(row[name])

    def was_run(self, row: Row) -> bool:
        """Whether the row has a number that was measured."""
        return any(row[one.name] for one in self.columns if one.group == "measured" and not one.is_words)

    def named(self, row: Row, *, compared: bool) -> list[str]:
        """Names of a row for people: its subject, then its other keys one by one.

        A row that is a mean over subjects says so. An id without a title is shown with blanks for underscores.

        Args:
            row: one of ``rows``.
            compared: whether the last name says what the row is compared with.
        """
        keys = [one for one in self.columns if one.group == "key"]
        words = {
            one.name: self.names.get(cell, cell.replace("_", " ") if one.kind == "id" else cell)
            for one in keys
            if (cell := row[one.name])
        }
        subject = [words[name] for name in SUBJECT if name in words]
        missing = any(one.name in SUBJECT and one.name not in words for one in keys)
        mean = ["mean" if subject else "Mean over subjects"] if missing else []
        others = [word for name, word in words.items() if name not in (*SUBJECT, AGAINST)]
        *above, last = [" · ".join([*subject, *mean]), *others] if subject or mean else others or [""]
        return [*above, f"{last} against {words[AGAINST]}" if compared and AGAINST in words else last]


def read(path: Path, titles: Mapping[str, str]) -> MadeTable:
    """The table in a CSV file, with the declaration of its columns beside it.

    Args:
        path: the CSV file.
        titles: display names of the configuration, by id.

    Raises:
        QuantriftError: a file cannot be read, or lacks a declared column.
    """
    rows, meaning = records(path), meaning_of(path)
    for column in meaning.columns:
        refuse((rows and column.name not in rows[0], f"{path} has no column {column.name}; make its table again"))
    return MadeTable(rows, meaning.columns, {**titles, **meaning.names})


def meaning_of(table: Path) -> Meaning:
    """Meaning of a CSV, from the file that ``tables.finished_table.write`` put beside it.

    Raises:
        QuantriftError: that file cannot be read.
    """
    file = table.with_suffix(".columns.json")
    try:
        return TypeAdapter(Meaning).validate_python(read_json(file))
    except OSError as error:
        raise QuantriftError(f"cannot read {file}: {error.strerror}; make its table again") from None


def detail_of(target: Path, name: str) -> Path:
    """The CSV of numbers behind a table or figure.

    Args:
        target: the file of the target, or its path without suffix.
        name: of the detail, as its kind calls it.
    """
    return target.with_suffix(f".{name}.csv")
