"""Writer of records: constant memory, and an order of rows that does not depend on how searches were run."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.files import replacing
from quantrift.core.base.table_columns import Arrays, joined
from quantrift.core.search.record_columns import CANDIDATES, SEARCHES, searches_path
from quantrift.core.search.search_record import SearchRecord

TOGETHER = 1000
"""Searches whose rows are put together in memory: as dictionaries they take many times their size."""


class Writer:
    """Writes the two tables of a block; both appear only when everything was written.

    Searches end in an order that depends on memory and batch settings; they are written in the order of their numbers.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self._settings = json.dumps(settings, sort_keys=True)
        self._path = path
        self._stack = ExitStack()
        self._finished: dict[int, Sequence[SearchRecord]] = {}
        self._next = 0
        self._searches: list[Arrays] = []
        self._rows: list[dict[str, Any]] = []
        """Rows of the searches table that are not in ``_searches`` yet."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._searches_file = stack.enter_context(replacing(searches_path(self._path)))
            file = stack.enter_context(replacing(self._path))
            self._candidates = stack.enter_context(table_files.stream(file, CANDIDATES, self._settings))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._gather()
            table_files.write(self._searches_file, SEARCHES, self._settings, joined(self._searches), "zstd")
        self._stack.__exit__(kind, error, trace)

    def add(self, number: int, records: Sequence[SearchRecord]) -> None:
        """Hand over a finished search, a record for each of its inputs; written as soon as all before it have been."""
        self._finished[number] = records
        while self._next in self._finished:
            own = self._finished.pop(self._next)
            self._rows += [record.search_row() for record in own]
            self._candidates.add([record.candidate_columns() for record in own])
            self._next += 1
            if len(self._rows) >= TOGETHER:
                self._gather()

    def _gather(self) -> None:
        self._searches.append(
            {name: np.array([row[name] for row in self._rows], one) for name, one in SEARCHES.items()}
        )
        self._rows = []
