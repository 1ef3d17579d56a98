"""Rows with columns of stated types in one .parquet file."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from quantrift.core.base.files import replacing


def write_rows(path: Path, columns: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows, each a column's name -> its value; a value that a row lacks is missing in the file too."""
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pylist(list(rows), schema=columns), temporary)
