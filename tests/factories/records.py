"""Records of searches on the tiny networks of the unit tests."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.factories import configurations

from quantrift.core.base.paths import Paths
from quantrift.core.search.record_columns import TIMES

SUBJECT = {"dataset": "tiny", "model": "hybridsn", "compression": "ptq_int8", "protocol": "test"}
"""Subject and protocol of the searches, as the fixture ``lay_out`` puts it into a results folder."""


def lenient(tool: str, min_db: float = 5) -> dict[str, Any]:
    """Settings of a tool of the demo; a PSNR that it asks for is so low that small networks disagree on something."""
    settings = configurations.tool(tool)
    if settings["constraint"]["name"] == "psnr":
        settings["constraint"]["params"]["min_db"] = min_db
    return settings


def path(results: Paths, tool: str, name: str) -> Path:
    """Where the candidates table of a search of ``SUBJECT`` stands."""
    return results.searches(**SUBJECT, tool=tool) / f"{name}.parquet"


def untimed(file: Path) -> pa.Table:
    """A table of records without its times and its metadata, which alone may differ from run to run."""
    return pq.read_table(file).drop_columns(list(TIMES)).replace_schema_metadata(None)
