"""Tables of records are the same whether they are kept as Parquet or as .npz."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.base import table_files, table_npz, table_parquet
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_columns import Lists, Types
from quantrift.core.search.record_columns import CANDIDATES, searches_path

TYPES: Types = {
    "number": np.dtype(np.int32),
    "digest": np.dtype(np.uint64),
    "value": np.dtype(np.float64),
    "flag": np.dtype(np.bool_),
    "vector": Lists(np.dtype(np.float32)),
}
FORMS = (".parquet", ".npz")
VALUES = st.floats(allow_nan=False, width=32)
ROWS = st.lists(
    st.tuples(
        st.integers(-(2**31), 2**31 - 1),
        st.integers(0, 2**64 - 1),
        st.floats(),
        st.booleans(),
        st.none() | st.lists(VALUES, min_size=3, max_size=3),
    ),
    max_size=8,
)


def columns(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    cells = {name: [row[place] for row in rows] for place, name in enumerate(TYPES)}
    return {
        name: np.array(cells[name], one) if isinstance(one, np.dtype) else cells[name] for name, one in TYPES.items()
    }


def same(first: np.ndarray, second: np.ndarray) -> bool:
    if first.dtype != object:
        return first.dtype == second.dtype and first.tobytes() == second.tobytes()
    pairs = zip(first, second, strict=True)
    return all(one is other is None or (one is not None and same(one, other)) for one, other in pairs)


@settings(max_examples=40, deadline=None)
@given(parts=st.lists(ROWS, min_size=1, max_size=3))
def test_both_forms_give_back_what_was_written(
    parts: list[list[tuple[Any, ...]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    rows = [row for part in parts for row in part]
    read, held = {}, {}
    for form in FORMS:
        file = folder / f"table{form}"
        with table_files.stream(file, TYPES, '{"a": "é"}') as stream:
            for part in parts:
                stream.add([columns(part)])
        assert table_files.settings(file) == '{"a": "é"}'
        read[form] = table_files.read(file)
        held[form] = list(table_files.holding(file, "vector", ["number", "flag"], 2))
    assert [len(one) for one in read[".npz"].values()] == [len(rows)] * len(TYPES)
    assert all(same(read[".parquet"][name], read[".npz"][name]) for name in TYPES)
    expected = [(number, flag, vector) for number, _, _, flag, vector in rows if vector is not None]
    for found in held.values():
        told = [
            (*row, vector.tolist())
            for of, vectors in found
            for *row, vector in zip(of["number"].tolist(), of["flag"].tolist(), vectors, strict=True)
        ]
        assert told == expected
        assert all(0 < len(vectors) <= 2 for _, vectors in found)


def test_parquet_has_the_bytes_that_pyarrow_writes_of_the_rows(tmp_path: Path) -> None:
    rows = [
        {"number": n, "digest": n, "value": n / 3, "flag": n > 1, "vector": [0.5] * 2 if n % 2 else None}
        for n in range(5)
    ]
    file = tmp_path / "table.parquet"
    table_files.write(file, TYPES, "{}", {name: [row[name] for row in rows] for name in TYPES}, "zstd")
    fields: list[Any] = [
        ("number", pa.int32()),
        ("digest", pa.uint64()),
        ("value", pa.float64()),
        ("flag", pa.bool_()),
        ("vector", pa.list_(pa.float32())),
    ]
    schema = pa.schema(fields, {b"quantrift": b"{}"})
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "expected.parquet", compression="zstd")
    assert file.read_bytes() == (tmp_path / "expected.parquet").read_bytes()


def test_npz_files_are_equal_for_equal_tables_and_leave_nothing_beside(tmp_path: Path) -> None:
    cells = columns([(1, 2, 0.5, True, [1.0, 2.0, 3.0]), (2, 3, 0.5, False, None)])
    for name in ("one.npz", "other.npz"):
        table_files.write(tmp_path / name, TYPES, "{}", cells)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.npz", "other.npz"]
    with np.load(tmp_path / "one.npz", allow_pickle=False) as file:
        assert file["vector"].tolist() == [1, 2, 3]
        assert file["vector_lengths"].tolist() == [3, -1]
        assert file["settings"].item() == "{}"


@pytest.mark.parametrize("form", FORMS)
def test_lists_of_other_lengths_are_no_vectors(form: str, tmp_path: Path) -> None:
    file = tmp_path / f"table{form}"
    cells = columns([(1, 2, 0.5, True, [1.0, 2.0, 3.0]), (2, 3, 0.5, False, [1.0])])
    table_files.write(file, TYPES, "{}", cells)
    assert [len(one) for one in table_files.read(file)["vector"]] == [3, 1]
    with pytest.raises(ValueError, match="lists of vector differ in length"):
        list(table_files.holding(file, "vector", [], 10))


@pytest.mark.parametrize(
    "arrays",
    [
        {"number": np.arange(2), "flag": np.arange(3)},
        {"number": np.zeros((2, 2)), "flag": np.zeros((2, 2))},
        {"vector": np.arange(3), "vector_lengths": np.array([1, 1])},
    ],
)
def test_columns_that_do_not_fit_each_other_are_refused(arrays: dict[str, np.ndarray], tmp_path: Path) -> None:
    np.savez(tmp_path / "table.npz", allow_pickle=False, **arrays)
    with pytest.raises(ValueError, match="differ"):
        table_files.read(tmp_path / "table.npz")


def test_an_npz_of_objects_is_not_unpickled(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "table.npz", "w") as archive, archive.open("number.npy", "w") as member:
        np.lib.format.write_array(member, np.array([{}], object), allow_pickle=True)
    with pytest.raises(QuantriftError):
        table_files.read(tmp_path / "table.npz")


def test_the_searches_table_has_the_form_of_the_candidates_table() -> None:
    assert searches_path(Path("seeds_000.parquet")).name == "seeds_000.searches.parquet"
    assert searches_path(Path("seeds_000.npz")).name == "seeds_000.searches.npz"


def test_a_column_of_settings_or_lengths_would_be_taken_for_something_else() -> None:
    names = [*CANDIDATES, *TYPES]
    assert not [name for name in names if name == table_npz.SETTINGS or name.endswith(table_npz.LENGTHS)]
    assert table_parquet.schema(CANDIDATES).names == list(CANDIDATES)
