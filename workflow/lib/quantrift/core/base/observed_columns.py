"""Columns of a table as its rows show them: ranges, spreads and categories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST = 200
"""Most categories of a group of columns."""


@dataclass(frozen=True)
class Column:
    """What was observed of one feature."""

    low: float
    high: float
    spread: float
    """Standard deviation."""
    typical: float
    """Median; of a category, its most frequent value."""
    whole: bool
    """Whether all values are whole numbers."""


@dataclass(frozen=True)
class Category:
    """Columns that state a category together: one, or one for each category (one-hot)."""

    columns: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    """The categories observed, ascending, with one value for each column."""
    typical: int
    """Number of the most frequent one."""


@dataclass(frozen=True)
class TableColumns:
    """All columns of a table."""

    columns: tuple[Column, ...]
    categories: tuple[Category, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """Columns that belong to no category, ascending."""
        taken = {column for one in self.categories for column in one.columns}
        return tuple(number for number in range(len(self.columns)) if number not in taken)

    @staticmethod
    def of(rows: np.ndarray, categories: Sequence[Sequence[int]]) -> "TableColumns":
        """Read the columns from rows.

        Args:
            rows: float32 (N, F).
            categories: numbers of the columns of each category.
        """
        found = [
            Column(
                low=float(column.min()),
                high=float(column.max()),
                spread=float(column.std(dtype=np.float64)),
                typical=float(median),
                whole=bool((column == np.rint(column)).all()),
            )
            for column, median in zip(rows.T, np.median(rows, axis=0), strict=True)
        ]
        return TableColumns(tuple(found), tuple(_category(rows, tuple(one)) for one in categories))

    @staticmethod
    def stated(settings: Mapping[str, Any]) -> "TableColumns":
        """The columns from plain values, as ``dataclasses.asdict`` makes them and JSON keeps them."""
        return TableColumns(
            tuple(Column(**one) for one in settings["columns"]),
            tuple(
                Category(tuple(one["columns"]), tuple(map(tuple, one["values"])), one["typical"])
                for one in settings["categories"]
            ),
        )


def told_categories(rows: np.ndarray) -> list[list[int]]:
    """Columns, rows float32 (N, F), that seem to be categories: one-hot neighbours, and columns of few values.

    Neighbours of zeros and ones are one-hot if each row has exactly one 1 among them.
    """
    binary = np.asarray(np.isin(rows, (0, 1)).all(axis=0) & rows.any(axis=0) & ~rows.all(axis=0))
    # Fewer rows would not show that a column has no other values.
    counts = 1 + np.count_nonzero(np.diff(np.sort(rows, axis=0), axis=0), axis=0)
    found, place = [], 0
    while place < rows.shape[1]:
        size = _one_hot(rows, binary, place) if binary[place] else 0
        if size or (2 <= counts[place] <= 10 and len(rows) >= 10 * counts[place]):
            found.append(list(range(place, place + max(1, size))))
        place += max(1, size)
    return found


def _one_hot(rows: np.ndarray, binary: np.ndarray, place: int) -> int:
    """How many columns from one on are one-hot; 0 if none are."""
    total = np.zeros(len(rows), np.float32)
    for size, column in enumerate(range(place, min(place + MOST, rows.shape[1])), 1):
        total += rows[:, column]
        if not binary[column] or total.max() > 1:
            break
        if total.min() == 1:
            return size if size > 1 else 0
    return 0


def _category(rows: np.ndarray, columns: tuple[int, ...]) -> Category:
    values, counts = np.unique(rows[:, list(columns)], axis=0, return_counts=True)
    return Category(columns, tuple(map(tuple, values.tolist())), int(counts.argmax()))
