"""Writer of records: constant memory, and an order of rows that does not depend on how searches were run."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from quantrift.base.files import replacing
from quantrift.search.record_columns import CANDIDATES, SEARCHES, SETTINGS, searches_path
from quantrift.search.search_record import SearchRecord

ROW_GROUP = 50_000
"""Rows of a row group, which is all that is held in memory beside the rows of unfinished searches."""
TOGETHER = 1000
"""Searches whose rows are put together in memory: by itself, a table of few rows takes many times their size."""


class Writer:
    """Writes the two tables of a block; both appear only when everything was written.

    Searches end in an order that depends on memory and batch settings; they are written in the order of their numbers.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self._metadata = {SETTINGS: json.dumps(settings, sort_keys=True).encode()}
        self._path = path
        self._stack = ExitStack()
        self._finished: dict[int, Sequence[SearchRecord]] = {}
        self._next = 0
        self._tables: list[pa.Table] = []
        self._held = 0
        """Rows in ``_tables``."""
        self._searches: list[pa.Table] = []
        self._rows: list[dict[str, Any]] = []
        """Rows of the searches table that are not in ``_searches`` yet."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._searches_file = stack.enter_context(replacing(searches_path(self._path)))
            file = stack.enter_context(replacing(self._path))
            schema = CANDIDATES.with_metadata(self._metadata)
            self._candidates = stack.enter_context(pq.ParquetWriter(file, schema, compression="zstd"))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._flush()
            self._gather()
            searches = pa.concat_tables(self._searches).combine_chunks().replace_schema_metadata(self._metadata)
            pq.write_table(searches, self._searches_file, compression="zstd")
        self._stack.__exit__(kind, error, trace)

    def add(self, number: int, records: Sequence[SearchRecord]) -> None:
        """Hand over a finished search, a record for each of its inputs; written as soon as all before it have been."""
        self._finished[number] = records
        while self._next in self._finished:
            for record in self._finished.pop(self._next):
                self._rows.append(record.search_row())
                self._tables.append(pa.table(record.candidate_columns(), schema=CANDIDATES))
                self._held += self._tables[-1].num_rows
            self._next += 1
            if self._held >= ROW_GROUP:
                self._flush()
            if len(self._tables) >= TOGETHER:
                self._tables = [pa.concat_tables(self._tables).combine_chunks()]
            if len(self._rows) >= TOGETHER:
                self._gather()

    def _flush(self) -> None:
        if self._tables:
            self._candidates.write_table(pa.concat_tables(self._tables), row_group_size=ROW_GROUP)
            self._tables, self._held = [], 0

    def _gather(self) -> None:
        self._searches.append(pa.Table.from_pylist(self._rows, schema=SEARCHES))
        self._rows = []
