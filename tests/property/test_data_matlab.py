"""Arrays of numbers come out of MATLAB 5 files as scipy reads them."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.io import loadmat, savemat

from quantrift.study.datasets.matlab import NotMatlab5, variables

TYPES = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
names = st.from_regex(r"[a-z][a-z0-9_]{0,30}", fullmatch=True)
arrays = hnp.arrays(st.sampled_from(TYPES), hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=5))


def saved(content: dict[str, Any], **how: Any) -> bytes:
    file = io.BytesIO()
    savemat(file, content, **how)
    return file.getvalue()


@given(st.dictionaries(names, arrays, max_size=4), st.booleans())
def test_numbers_are_read_as_scipy_reads_them(content: dict[str, np.ndarray], compressed: bool) -> None:
    file = saved(content, do_compression=compressed)
    expected = {name: value for name, value in loadmat(io.BytesIO(file)).items() if not name.startswith("__")}
    found = variables(file)
    assert found.keys() == expected.keys() == content.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, strict=True)


def test_big_endian_files_come_in_the_byte_order_of_the_machine() -> None:
    def element(kind: int, data: bytes) -> bytes:
        return np.array([kind, len(data)], ">u4").tobytes() + data + bytes(-len(data) % 8)

    parts = (element(6, b"\0\0\0\x0a\0\0\0\0"), element(5, b"\0\0\0\x01\0\0\0\x02"), element(1, b"cube"),
             element(3, b"\x01\x02\xff\xfe"))  # fmt: skip
    file = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI" + element(14, b"".join(parts))
    np.testing.assert_array_equal(variables(file)["cube"], np.array([[258, -2]], np.int16), strict=True)


def test_what_holds_no_numbers_is_named() -> None:
    content = {"a": {"b": 1}, "c": np.array(["x"], object), "d": "text", "e": np.array([[1j]]), "f": np.eye(2)}
    found = variables(saved(content))
    assert isinstance(found.pop("f"), np.ndarray)
    assert found == {"a": "a structure", "c": "cells", "d": "text", "e": "complex numbers"}


@pytest.mark.parametrize("compressed", [False, True])
def test_no_part_of_a_file_is_taken_for_the_whole(compressed: bool) -> None:
    file = saved({"cube": np.arange(60).reshape(3, 4, 5)}, do_compression=compressed)
    for length in range(129, len(file)):
        with pytest.raises(NotMatlab5):
            variables(file[:length])
