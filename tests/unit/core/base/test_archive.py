"""Arrays of .npz files: equal to numpy's, bounded before they are read."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from quantrift.core.base import archive
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.limits import size

DTYPES = st.sampled_from([np.dtype(one) for one in ("u1", "i8", "f4", "f8", "?", "U3")])


@given(
    arrays=st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
        nps.arrays(DTYPES, nps.array_shapes(min_dims=0, min_side=0, max_side=4)),
        max_size=4,
    ),
    packed=st.booleans(),
    fortran=st.booleans(),
)
def test_arrays_are_those_of_numpy(
    arrays: dict[str, np.ndarray], packed: bool, fortran: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("npz") / "x.npz"
    given_arrays = {name: np.asfortranarray(array) if fortran else array for name, array in arrays.items()}
    (np.savez_compressed if packed else np.savez)(path, allow_pickle=False, **given_arrays)
    with np.load(path, allow_pickle=False) as expected:
        found = archive.read_arrays(path)
        assert list(found) == expected.files
        for name in found:
            np.testing.assert_array_equal(found[name], expected[name], strict=True)
            header = archive.headers(path)[name]
            assert (header.shape, header.dtype) == (expected[name].shape, expected[name].dtype)


def stored(path: Path, shape: tuple[int, ...], content: bytes) -> Path:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x.npy", header.getvalue() + content)
        file.writestr("small.npy", header.getvalue() + content)
    return path


@pytest.mark.parametrize("shape", [(10**12,), (9,), (11,), (10**6, 10**6), (2, -5)])
def test_a_header_that_says_another_size_is_damage(shape: tuple[int, ...], tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="another size than its header says"):
        archive.headers(stored(tmp_path / "x.npz", shape, bytes(10)))


def test_what_is_no_archive_is_refused_with_the_way_to_write_one(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"text")
    with pytest.raises(
        QuantriftError, match=r"x\.npz: not a \.npz file of plain arrays \(.*; write it with numpy\.savez"
    ):
        archive.read_arrays(path)


def test_only_what_is_read_is_held_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, big=np.zeros(2_000_000, np.uint8), small=np.zeros(10, np.uint8))
    monkeypatch.setenv("QUANTRIFT_MAX_UNPACKED", "1MB")
    assert archive.read_arrays(path, ["small"])["small"].size == 10
    with pytest.raises(QuantriftError, match="raise the limit with --max-unpacked or QUANTRIFT_MAX_UNPACKED"):
        archive.read_arrays(path)
    monkeypatch.setenv("QUANTRIFT_MAX_UNPACKED", "3MB")
    assert archive.read_arrays(path)["big"].size == 2_000_000


@pytest.mark.parametrize(("text", "count"), [("16GB", 16e9), ("1.5 gb", 1.5e9), ("500MB", 5e8), ("1000", 1000)])
def test_sizes_are_read(text: str, count: float) -> None:
    assert size(text, "--max-unpacked") == count


@pytest.mark.parametrize("text", ["", "0", "-1", "many", "5 apples", "1e9", "GB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(QuantriftError, match=f"^--max-unpacked is '{text}'; give a size like 16GB or 500MB$"):
        size(text, "--max-unpacked")
