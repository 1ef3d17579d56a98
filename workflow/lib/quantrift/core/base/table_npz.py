"""Tables as .npz files of plain arrays, equal byte for byte for equal tables. Callers: ``base.table_files``.

Each column is an array of its name. A column of lists is the numbers of all its lists, one after the other, with an
array ``<name>_lengths`` beside it: int32, -1 where a cell has no list. ``settings`` is text.
"""

import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from quantrift.core.base import archive
from quantrift.core.base.table_columns import Arrays, Cells, Codec, Lists, Types

SETTINGS = "settings"
LENGTHS = "_lengths"
"""Ending of the name of the array beside a column of lists."""


def read(path: Path, names: Sequence[str] | None) -> Arrays:
    """See ``table_files.read``."""
    held = archive.headers(path)
    names = [name for name in held if name != SETTINGS and not name.endswith(LENGTHS)] if names is None else names
    found = archive.read_arrays(path, [*names, *(name + LENGTHS for name in names if name + LENGTHS in held)])
    return _checked(
        {name: _cells(found[name], found[name + LENGTHS]) if name + LENGTHS in found else found[name] for name in names}
    )


def holding(path: Path, lists: str, names: Sequence[str], rows: int) -> Iterator[tuple[Arrays, np.ndarray]]:
    """See ``table_files.holding``."""
    found = archive.read_arrays(path, [*names, lists, lists + LENGTHS])
    values, lengths = found.pop(lists), found.pop(lists + LENGTHS)
    _checked({**found, lists: lengths})
    held = np.flatnonzero(lengths >= 0)
    if len(np.unique(lengths[held])) > 1:
        raise ValueError(f"lists of {lists} differ in length")
    for start in range(0, len(held), rows):
        now = slice(start, start + rows)
        yield {name: found[name][held[now]] for name in names}, values.reshape(len(held), -1)[now]


def rows(path: Path) -> int:
    """See ``table_files.rows``."""
    return max((max(one.shape, default=0) for one in archive.headers(path).values()), default=0)


def settings(path: Path) -> str:
    """See ``table_files.settings``."""
    if SETTINGS not in archive.headers(path):
        raise KeyError(SETTINGS)
    return str(archive.read_arrays(path, [SETTINGS])[SETTINGS].item())


def write(path: Path, types: Types, settings: str, cells: Cells, codec: Codec) -> None:
    """See ``table_files.write``."""
    with stream(path, types, settings) as file:
        file.add([cells])


@contextmanager
def stream(path: Path, types: Types, settings: str) -> Iterator["_Stream"]:
    """See ``table_files.stream``; a file without a name holds each array until all rows are known."""
    with ExitStack() as stack:
        one = _Stream(types, lambda: stack.enter_context(TemporaryFile(dir=path.parent)))
        yield one
        with zipfile.ZipFile(path, "w") as target:
            with _member(target, SETTINGS) as member:
                npy.write_array(member, np.array(settings), allow_pickle=False)
            for name, (dtype, file) in one.arrays.items():
                header = {"shape": (file.tell() // dtype.itemsize,), "fortran_order": False}
                file.seek(0)
                with _member(target, name) as member:
                    npy.write_array_header_1_0(member, header | {"descr": npy.dtype_to_descr(dtype)})
                    shutil.copyfileobj(file, member)


class _Stream:
    def __init__(self, types: Types, opened: Any) -> None:
        self._types = types
        self.arrays: dict[str, tuple[np.dtype[Any], IO[bytes]]] = {}
        """Name of an array -> its type and the file of its numbers."""
        for name, one in types.items():
            self.arrays[name] = (one.of if isinstance(one, Lists) else one, opened())
            if isinstance(one, Lists):
                self.arrays[name + LENGTHS] = (np.dtype(np.int32), opened())

    def add(self, parts: Sequence[Cells]) -> None:
        for part in parts:
            for name, one in self._types.items():
                held = [part[name]]
                if isinstance(one, Lists):
                    self._append(name + LENGTHS, [-1 if cell is None else len(cell) for cell in part[name]])
                    held = [cell for cell in part[name] if cell is not None]
                for cells in held:
                    self._append(name, cells)

    def _append(self, name: str, values: Any) -> None:
        dtype, file = self.arrays[name]
        file.write(np.asarray(values).astype(dtype).tobytes())


def _member(target: zipfile.ZipFile, name: str) -> IO[bytes]:
    info = zipfile.ZipInfo(name + archive.SUFFIX)
    info.compress_type = zipfile.ZIP_DEFLATED
    return target.open(info, "w", force_zip64=True)


def _cells(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """A column of lists: an array of arrays and Nones."""
    ends = np.cumsum(np.maximum(lengths, 0))
    if ends[-1:].sum() != len(values):
        raise ValueError("lists and their lengths differ")
    cells = np.empty(len(lengths), object)
    for place, (end, length) in enumerate(zip(ends.tolist(), lengths.tolist(), strict=True)):
        cells[place] = values[end - length : end] if length >= 0 else None
    return cells


def _checked(columns: Arrays) -> Arrays:
    if len({one.shape for one in columns.values()}) > 1 or any(one.ndim != 1 for one in columns.values()):
        raise ValueError("columns differ in length")
    return columns
