"""Entry of a job of rule ``table``: makes a table of any kind and writes its files."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import said_of
from quantrift.core.page.arrangement import Names
from quantrift.study.results.tables.finished_table import write
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.given_files import Given


def make(stated: Mapping[str, Any], given: Given, stem: Path, facts: Mapping[str, Any]) -> None:
    """Write the files of a table (``quantrift.study.results.tables.finished_table.write``).

    Args:
        stated: settings of the target.
        given: its inputs.
        stem: path without suffix, ``<results>/tables/<target>``.
        facts: entries of the provenance beside the digests of files.

    Raises:
        QuantriftError: as the kind's ``make``, after the name of the table.
    """
    kind = kinds.load(stated["kind"])
    settings = kind.Settings.model_validate(stated)
    with said_of(f"table {stem.name}"):
        table = kind.make(settings, given)
        kinds.check_details(settings, table.beside)
        answer = partial(kind.answer, settings) if hasattr(kind, "answer") else None
        files = given.by_name(stem.parents[1])
        names = Names.of(given.titles, given.datasets)
        write(table, settings.title, settings.caption, stem, names, files, facts, answer)
