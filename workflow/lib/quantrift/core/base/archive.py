"""Named arrays in .npz files, without pickles; sizes are checked before unpacking, as files may be foreign."""

import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import ArrayLike, NDArray

from quantrift.core.base.errors import reading, refuse
from quantrift.core.base.files import replacing
from quantrift.core.base.limits import check_unpacked

SUFFIX = ".npy"


@dataclass(frozen=True)
class Header:
    """Header of an array that was not read yet."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        """Size of its content."""
        return prod(self.shape) * self.dtype.itemsize


def headers(path: Path) -> dict[str, Header]:
    """Name -> shape and type of each array in a file, without reading their content.

    Raises:
        QuantriftError: if it is missing, empty, or no .npz file of plain arrays.
    """
    with _opened(path) as archive:
        return dict(_headers(archive))


def read_arrays(path: str | Path, names: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Arrays of a file: those that are named, or all.

    Raises:
        QuantriftError: as ``headers`` does; if one of the names is not there, or if together they are larger than the
            limit on unpacked content.
    """
    with _opened(Path(path)) as archive:
        held = dict(_headers(archive))
        wanted = held if names is None else {name: held[name] for name in names}
        check_unpacked(path, sum(header.bytes for header in wanted.values()))
        return {name: _array(archive, name) for name in wanted}


def write_arrays(path: str | Path, arrays: Mapping[str, ArrayLike]) -> None:
    """Write arrays (any number, text or their lists), equal byte for byte for equal ones.

    Uncompressed, as searches read them often and at once. Raises ``ValueError`` for an array of objects, which only a
    pickle could hold.
    """
    with replacing(path) as temporary:
        np.savez(temporary, allow_pickle=False, **{name: np.asarray(value) for name, value in arrays.items()})


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    refuse((not path.is_file(), f"{path}: no such file; name a .npz file"))
    refuse((not path.stat().st_size, f"{path}: is empty; write it with numpy.savez(path, inputs=..., labels=...)"))
    with (
        reading(path, "not a .npz file of plain arrays", "write it with numpy.savez"),
        zipfile.ZipFile(path) as archive,
    ):
        yield archive


def _headers(archive: zipfile.ZipFile) -> Iterator[tuple[str, Header]]:
    """Headers of all arrays; numpy itself would allocate the stated size before it looks for the content."""
    for member in archive.infolist():
        if not member.filename.endswith(SUFFIX):
            raise ValueError(f"'{member.filename}' in it is no array")
        with archive.open(member) as stream:
            major, minor = npy.read_magic(stream)
            if (major, minor) not in READERS:
                raise ValueError(f"'{member.filename}' is of version {major}.{minor}")
            shape, _, dtype = READERS[major, minor](stream)
            header = Header(shape, dtype)
            if dtype.hasobject:
                raise ValueError(f"'{member.filename}' holds Python objects")
            if min(shape, default=0) < 0 or stream.tell() + header.bytes != member.file_size:
                raise ValueError(f"'{member.filename}' has another size than its header says")
        yield member.filename.removesuffix(SUFFIX), header


READERS: Mapping[tuple[int, int], Any] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}
"""Version of the format -> its reader of headers; the third is for names of fields in structures."""


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name + SUFFIX) as stream:
        array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
        # Reading to the end compares the checksum.
        if stream.read(1):
            raise ValueError(f"'{name}' goes on after its end")
        return array
