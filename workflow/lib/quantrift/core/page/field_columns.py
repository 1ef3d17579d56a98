"""Columns that fields of dataclasses carry, and the CSV files of such rows, which pages show.

Each quantity is declared once, for its files and for the tables of pages.

A field is annotated with its column, ``count: Annotated[int, Column(...)]``. One that holds a ``value`` with the ends
``low`` and ``high`` of its interval may have columns for all three (``core.statistics.column.with_interval``).
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from quantrift.core.base import files
from quantrift.core.statistics.column import Column, Columns


@cache
def _carried(kind: type) -> Mapping[str, Columns]:
    """Field -> its columns, of those that carry any."""
    hints = get_type_hints(kind, include_extras=True).items()
    carried = {name: get_args(hint)[1] for name, hint in hints if get_origin(hint) is Annotated}
    return {name: (one,) if isinstance(one, Column) else one for name, one in carried.items()}


def columns_of(kind: type, *fields: str) -> Columns:
    """Columns of some fields of a dataclass, in this order; of all that carry any, where none is named."""
    return tuple(column for field in fields or _carried(kind) for column in _carried(kind)[field])


def cells(row: Any, **others: object) -> dict[str, object]:
    """Cells of a row of a table.

    Args:
        row: a dataclass.
        others: cells by the names of their columns; they go before those of the dataclass.
    """
    found: dict[str, object] = {}
    for field, columns in _carried(row.__class__).items():
        value = getattr(row, field)
        values = (value.value, value.low, value.high) if hasattr(value, "value") else (value,)
        found |= dict(zip((column.name for column in columns), values, strict=False))
    return found | others


def write_csv(path: Path, columns: Columns, rows: Iterable[Mapping[str, object]]) -> Path:
    """Write the cells of rows that have columns; what else rows hold is left out. Returns the path."""
    names = [one.name for one in columns]
    files.write_csv(path, names, (map(row.get, names) for row in rows))
    return path
