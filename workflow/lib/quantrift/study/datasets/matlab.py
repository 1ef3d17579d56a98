"""Arrays of numbers in MATLAB 5 files (``save -v6`` and ``-v7``), after MathWorks' "MAT-File Format", chapter 1.

scipy's reader trusts the file and ends the whole process on some damaged ones, which nothing in Python can catch. This
one checks each length before it is used.
"""

import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.limits import UNPACKED, max_unpacked

HEADER = 128
"""Bytes of text, version and byte order before the first element."""
MATRIX, COMPRESSED = 14, 15
STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""Types of stored values."""
NUMBERS = range(6, 16)
"""Classes of arrays of numbers, of whatever type."""
OTHERS = {1: "cells", 2: "a structure", 3: "an object", 4: "text", 5: "a sparse matrix"}
"""Classes that hold something else."""
COMPLEX = 0x0800


class NotMatlab5(ValueError):
    """Content that is no MATLAB 5 file, or a damaged one; the message says how."""


def variables(content: bytes) -> dict[str, NDArray[Any] | str]:
    """What a file holds, by name: arrays of real numbers as they are, of everything else what it is.

    Arrays have at least two dimensions, the machine's byte order and the type they are stored as: the smallest that
    holds all values, often an integer where MATLAB shows ``double``.

    Raises:
        NotMatlab5: for other formats, other versions, any damage, and more content than the limit on what is unpacked.
    """
    if content[:10] == b"MATLAB 7.3" or content[512:516] == b"\x89HDF" or content[:4] == b"\x89HDF":
        raise NotMatlab5("it is of version 7.3")
    order = {b"IM": "<", b"MI": ">"}.get(content[126:HEADER])
    if order is None or struct.unpack(f"{order}H", content[124:126]) != (0x0100,):
        raise NotMatlab5("it has no such header")
    found = {}
    left = max_unpacked()
    for kind, data in _elements(memoryview(content)[HEADER:], order):
        if kind == COMPRESSED:
            try:
                unpacked = _decompressed(data, left)
                left -= len(unpacked)
                [(kind, data)] = _elements(memoryview(unpacked), order)
            except (zlib.error, ValueError):
                raise NotMatlab5("a compressed variable is damaged") from None
        if kind != MATRIX:
            raise NotMatlab5("something stands where a variable should be")
        name, value = _variable(data, order)
        # Names in MATLAB are identifiers; MATLAB itself adds nameless variables for its own use.
        if name.isidentifier():
            found[name] = value
    return found


def _decompressed(data: memoryview, limit: int) -> bytes:
    stream = zlib.decompressobj()
    # No limit at all is what 0 would mean.
    content = stream.decompress(data, max(limit, 1))
    if stream.unconsumed_tail:
        raise NotMatlab5(f"it unpacks to more than the limit, which {UNPACKED} raises")
    if not stream.eof:
        raise ValueError("it ends too early")
    return content


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Type and data of each element; elements of up to 4 bytes stand within their tag, others are padded to 8."""
    at = 0
    while at < len(data):
        if at + 8 > len(data):
            raise NotMatlab5("it ends in the middle of a variable")
        kind, size = struct.unpack_from(f"{order}2I", data, at)
        if kind >> 16:
            kind, size, begin, after = kind & 0xFFFF, kind >> 16, at + 4, at + 8
            if size > 4:
                raise NotMatlab5("a length in it is damaged")
        else:
            begin, after = at + 8, at + 8 + size
            if kind != COMPRESSED:
                after = begin + math.ceil(size / 8) * 8
        if begin + size > len(data):
            raise NotMatlab5("it ends in the middle of a variable")
        yield kind, data[begin : begin + size]
        at = after


def _variable(data: memoryview, order: str) -> tuple[str, NDArray[Any] | str]:
    """Name and value of a variable: flags, shape, name, then the values."""
    parts = _elements(data, order)
    flags, shape, name, values = (next(parts, (0, memoryview(b""))) for _ in range(4))
    if len(flags[1]) != 8 or shape[0] != 5:
        # Objects of newer versions are laid out in another way; nameless, they are passed over.
        return "", "an object"
    kind = int(struct.unpack_from(f"{order}I", flags[1])[0])
    label = bytes(name[1]).decode("latin-1")
    if kind & 0xFF not in NUMBERS:
        return label, OTHERS.get(kind & 0xFF, "an object")
    if kind & COMPLEX:
        return label, "complex numbers"
    sides = tuple(int(side) for side in _numbers(shape, order))
    stored = _numbers(values, order)
    if len(sides) < 2 or min(sides) < 0 or math.prod(sides) != len(stored):
        raise NotMatlab5(f"variable '{label}' has not as many values as its shape says")
    return label, stored.astype(stored.dtype.newbyteorder("=")).reshape(sides, order="F")


def _numbers(element: tuple[int, memoryview], order: str) -> NDArray[Any]:
    kind, data = element
    if kind not in STORED or len(data) % np.dtype(STORED[kind]).itemsize:
        raise NotMatlab5("a type in it is damaged")
    return np.frombuffer(data, f"{order}{STORED[kind]}")
