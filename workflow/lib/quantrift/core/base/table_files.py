"""Tables in files with the settings that they were made with: Parquet, or .npz where a file's name ends so.

The workflow keeps Parquet. Assessments keep .npz, so that comparing two networks needs no library of Parquet.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np

from quantrift.core.base.plugins import library
from quantrift.core.base.table_columns import Arrays, Cells, Codec, Types


class Stream(Protocol):
    """A table that is written part by part; the file is whole when the context ends without an error."""

    def add(self, parts: Sequence[Cells]) -> None:
        """Append the rows of some parts."""
        ...


def read(path: Path, names: Sequence[str] | None = None) -> Arrays:
    """Columns of a file: those that are named, or all.

    Raises:
        QuantriftError: the file is damaged, or the library of its form is not installed.
        OSError: likewise damaged; so do ``ValueError`` and ``KeyError`` say.
    """
    return dict(_form(path).read(path, names))


def holding(path: Path, lists: str, names: Sequence[str], rows: int) -> Iterator[tuple[Arrays, np.ndarray]]:
    """The rows of a file that hold a list in the column ``lists``, in their order, in parts that are not empty.

    Args:
        path: the file.
        lists: a column of lists, all equally long.
        names: other columns.
        rows: most rows of a part.

    Yields:
        Those other columns, (n,) each, and the lists, (n, length).

    Raises:
        QuantriftError: as ``read`` does; so are all other errors.
    """
    yield from _form(path).holding(path, lists, names, rows)


def rows(path: Path) -> int:
    """Number of rows of a file, as the file states it; none is read.

    Raises:
        QuantriftError: as ``read`` does; so are all other errors.
    """
    return int(_form(path).rows(path))


def settings(path: Path) -> str:
    """The settings in a file, as text.

    Raises:
        QuantriftError: as ``read`` does; so are all other errors.
    """
    return str(_form(path).settings(path))


def write(path: Path, types: Types, settings: str, cells: Cells, codec: Codec = "snappy") -> None:
    """Write a whole table; ``codec`` compresses Parquet."""
    _form(path).write(path, types, settings, cells, codec)


@contextmanager
def stream(path: Path, types: Types, settings: str) -> Iterator[Stream]:
    """Write a table part by part, in memory that does not grow with its rows."""
    with _form(path).stream(path, types, settings) as opened:
        yield opened


def _form(path: Path) -> ModuleType:
    """The module that reads and writes files of this form, by functions of the same names."""
    if path.suffix == ".npz":
        from quantrift.core.base import table_npz

        return table_npz
    # Said here and not by ``base.extras``, whose lines no search depends on.
    library("pyarrow", f"{path.name} needs pyarrow; pip install 'quantrift[workflow]'")
    from quantrift.core.base import table_parquet

    return table_parquet
