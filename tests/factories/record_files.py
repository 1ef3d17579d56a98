"""Files that records were made from, in their place in a results folder."""

from collections.abc import Sequence
from pathlib import Path

from quantrift.core.search.record_columns import settings
from quantrift.core.search.records.replaying import files_of
from quantrift.core.search.run import Files


def files_of_records(records: Sequence[Path]) -> Files:
    """The files of the first of some tables, which all have the same."""
    return files_of(records[0], settings(records[0]))
