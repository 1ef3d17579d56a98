"""Tables as Parquet files; the one module of records that loads pyarrow. Callers: ``base.table_files``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quantrift.core.base.files import replacing
from quantrift.core.base.table_columns import Arrays, Cells, Codec, Lists, Types

SETTINGS = b"quantrift"
"""Key of the file metadata that holds the settings."""
ROW_GROUP = 50_000
"""Rows of a row group, which is all that is held in memory of a table that is written part by part."""
TOGETHER = 1000
"""Parts that are put together in memory: by itself, a table of few rows takes many times their size."""


def schema(types: Types, settings: str | None = None) -> pa.Schema:
    """Schema of a file with columns of some types, and with settings if there are any."""
    fields = [
        (name, pa.list_(pa.from_numpy_dtype(one.of)) if isinstance(one, Lists) else pa.from_numpy_dtype(one))
        for name, one in types.items()
    ]
    return pa.schema(fields, None if settings is None else {SETTINGS: settings.encode()})


def read(path: Path, names: Sequence[str] | None) -> Arrays:
    """See ``table_files.read``."""
    table = pq.read_table(path, columns=names)
    return {name: table[name].to_numpy() for name in table.column_names}


def holding(path: Path, lists: str, names: Sequence[str], rows: int) -> Iterator[tuple[Arrays, np.ndarray]]:
    """See ``table_files.holding``; as many rows are read at once as a part has at most."""
    for batch in pq.ParquetFile(path).iter_batches(rows, columns=[*names, lists]):
        kept = batch.filter(batch[lists].is_valid())
        if len(kept[lists].value_lengths().unique()) > 1:
            raise ValueError(f"lists of {lists} differ in length")
        if kept.num_rows:
            found = {name: kept[name].to_numpy(zero_copy_only=False) for name in names}
            yield found, kept[lists].flatten().to_numpy(zero_copy_only=False).reshape(kept.num_rows, -1)


def rows(path: Path) -> int:
    """See ``table_files.rows``."""
    return int(pq.read_metadata(path).num_rows)


def settings(path: Path) -> str:
    """See ``table_files.settings``."""
    return str(pq.read_schema(path).metadata[SETTINGS], "utf-8")


def write(path: Path, types: Types, settings: str, cells: Cells, codec: Codec) -> None:
    """See ``table_files.write``."""
    pq.write_table(pa.table(dict(cells), schema=schema(types, settings)), path, compression=codec)


@contextmanager
def stream(path: Path, types: Types, settings: str) -> Iterator["_Stream"]:
    """See ``table_files.stream``."""
    with pq.ParquetWriter(path, schema(types, settings), compression="zstd") as writer:
        one = _Stream(writer, schema(types))
        yield one
        one.flush()


class _Stream:
    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer, self._schema = writer, schema
        self._tables: list[pa.Table] = []
        self._held = 0
        """Rows in ``_tables``."""

    def add(self, parts: Sequence[Cells]) -> None:
        for part in parts:
            self._tables.append(pa.table(dict(part), schema=self._schema))
            self._held += self._tables[-1].num_rows
        if self._held >= ROW_GROUP:
            self.flush()
        if len(self._tables) >= TOGETHER:
            self._tables = [pa.concat_tables(self._tables).combine_chunks()]

    def flush(self) -> None:
        if self._tables:
            self._writer.write_table(pa.concat_tables(self._tables), row_group_size=ROW_GROUP)
            self._tables, self._held = [], 0


def write_rows(path: Path, columns: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows, each a column's name -> its value; a value that a row lacks is missing in the file too."""
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pylist(list(rows), schema=columns), temporary)
