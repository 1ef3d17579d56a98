"""A finished table as figures read it: rows, declared columns and display names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.table_meaning import meaning_of
from quantrift.core.statistics.column import Column, Columns
from quantrift.core.statistics.published import SUBJECT

AGAINST = "against"
"""Key that names what the statistics of a row compare with; measured values do not depend on it."""

Row = Mapping[str, str]
"""Name of a column -> cell as the CSV has it."""


@dataclass(frozen=True)
class MadeTable:
    """A table that was made before."""

    rows: Sequence[Row]
    columns: Columns
    names: Mapping[str, str]
    """Display names by id; the table's own go before those of the configuration."""

    def value(self, row: Row, name: str) -> float | None:
        """The number in a cell, fractions in percent; None for an empty cell, and where there is no such column."""
        kinds = {one.name: one.kind for one in self.columns}
        if name not in kinds or not row[name]:
            return None
        return 100 * float(row[name]) if kinds[name] in ("fraction", "points") else float(row[name])

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
        words = {one.name: self._word(one, row[one.name]) for one in keys if row[one.name]}
        subject = [words[name] for name in SUBJECT if name in words]
        missing = any(one.name in SUBJECT and one.name not in words for one in keys)
        mean = ["mean" if subject else "Mean over subjects"] if missing else []
        others = [word for name, word in words.items() if name not in (*SUBJECT, AGAINST)]
        *above, last = [" · ".join([*subject, *mean]), *others] if subject or mean else others or [""]
        return [*above, f"{last} against {words[AGAINST]}" if compared and AGAINST in words else last]

    def _word(self, column: Column, cell: str) -> str:
        return self.names.get(cell, cell.replace("_", " ") if column.kind == "id" else cell)


def read(path: Path, titles: Mapping[str, str]) -> MadeTable:
    """The table in a CSV file, with the declaration of its columns beside it.

    Args:
        path: the CSV file.
        titles: display names of the configuration, by id.

    Raises:
        QuantriftError: a file cannot be read, or lacks a declared column.
    """
    data = cells(path)
    meaning = meaning_of(path)
    for column in meaning.columns:
        if column.name not in data:
            raise QuantriftError(f"{path} has no column {column.name}; make its table again")
    rows = [{str(name): str(cell) for name, cell in row.items()} for row in data.to_dict("records")]
    return MadeTable(rows, meaning.columns, {**titles, **meaning.names})


def cells(path: Path) -> pd.DataFrame:
    """The cells of a CSV file as text, "" where one is empty.

    Raises:
        QuantriftError: it cannot be read.
    """
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except OSError as error:
        raise QuantriftError(f"cannot read {path}: {error.strerror}; make its table again") from None
