"""Files beside the CSV of a finished table: its meaning, that is columns, display names and answer, and its details."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.statistics.column import Columns


@dataclass(frozen=True)
class Meaning:
    """Content of ``<stem>.columns.json``."""

    columns: Columns
    names: Mapping[str, str]
    """Display names that the table has of its own, by id."""
    answer: tuple[str, ...] = ()
    """Sentences that answer the question of the target; none where its kind has no answer."""


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
