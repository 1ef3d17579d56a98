"""Tables in memory: columns by name, numpy arrays of one length."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

Arrays = dict[str, np.ndarray]
"""Name of a column -> its cells (n,); a column of lists is an array of objects, each an array or None."""

Cells = Mapping[str, Any]
"""Name of a column -> its cells (n,), an array or, of a column of lists, a sequence of arrays, lists and Nones."""
Codec = Literal["snappy", "zstd"]
"""Compression of Parquet files."""


class Table(Protocol):
    """Columns by name: ``Arrays``, or a DataFrame of pandas."""

    def __getitem__(self, name: str, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, name: Any, /) -> bool: ...


@dataclass(frozen=True)
class Lists:
    """Type of a column whose cells are lists of numbers, or missing."""

    of: np.dtype[Any]


Types = Mapping[str, np.dtype[Any] | Lists]
"""Name of each column of a file -> type of its cells."""


def joined(parts: Sequence[Table]) -> Arrays:
    """The rows of some tables, at least one, one table after the other; columns are those of the first."""
    return {name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]}


def taken(table: Table, chosen: np.ndarray) -> Arrays:
    """Some rows of a table, by place or by a mask."""
    return {name: np.asarray(table[name])[chosen] for name in table}


def order(table: Table, by: Sequence[str]) -> np.ndarray:
    """Places, intp (n,), that sort a table by some columns, the first of them first; equal rows keep their order."""
    return np.lexsort([np.asarray(table[name]) for name in reversed(by)])


def in_order(table: Table, by: Sequence[str]) -> Arrays:
    """A table sorted by ``order``."""
    return taken(table, order(table, by))


def numbered(keys: Sequence[np.ndarray]) -> np.ndarray:
    """Number of each row's key, intp (n,): equal keys share a number, and numbers ascend with keys from 0.

    Args:
        keys: columns (n,) that make a key together, the first counting most.
    """
    places = np.lexsort(keys[::-1])
    new = np.zeros(len(places), bool)
    for in_turn in (np.asarray(key)[places] for key in keys):
        new[1:] |= in_turn[1:] != in_turn[:-1]
    numbers = np.empty(len(places), np.intp)
    numbers[places] = np.cumsum(new)
    return numbers


def firsts(keys: Sequence[np.ndarray]) -> np.ndarray:
    """Places, intp ascending, of the first row of each key; see ``numbered``."""
    return np.sort(np.unique(numbered(keys), return_index=True)[1])


def places(wanted: Sequence[np.ndarray], among: Sequence[np.ndarray]) -> np.ndarray:
    """Place of each wanted key (n,) among others (m,), no two of which are equal: intp (n,), -1 where it is none."""
    numbers = numbered([np.concatenate([first, second]) for first, second in zip(wanted, among, strict=True)])
    n = len(wanted[0])
    found = np.full(len(numbers), -1, np.intp)
    found[numbers[n:]] = np.arange(len(numbers) - n)
    return found[numbers[:n]]
