"""Targets over the rows of finished tables, one below the other.

A figure of one table of a certain kind (``cell_verdicts``, ``claim_outcomes``) names it by a key of its own, which
checks that kind, and shows all that it has.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from quantrift.core.base.errors import check_name
from quantrift.core.page.made_table import MadeTable, Row, read
from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import Ref
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Target


class RowsTarget(Target):
    """A target over the rows of tables."""

    tables: Annotated[list[Annotated[Id, Ref("table")]], Field(min_length=1)]
    """Tables whose rows are shown, one below the other."""
    only: dict[str, list[str]] = Field(default_factory=dict)
    """Key of the tables -> ids whose rows are shown; all where it is not named."""


def needs(settings: RowsTarget, results: Results) -> Mapping[str, Files]:
    """The tables."""
    return {"tables": results.tables(settings.tables)}


def states(settings: RowsTarget, results: Results) -> dict[str, dict[str, Any]]:
    """Display names, and titles of the tables."""
    return {**results.titles(), "targets": results.stated("targets", settings.tables)}


def read_all(given: Given) -> dict[str, MadeTable]:
    """The tables by the names of their targets.

    Raises:
        QuantriftError: a file cannot be read, or lacks a declared column.
    """
    return {name: read(path, given.stated["titles"]) for (name,), path in given.one("tables").items()}


def chosen(settings: RowsTarget, given: Given, tables: Mapping[str, MadeTable]) -> Iterator[tuple[str, str, Row]]:
    """The rows whose keys have the ids that are named.

    Args:
        settings: of the target.
        given: its inputs, with the titles of the tables.
        tables: as ``read_all`` gave them.

    Yields:
        The name of a table, its title, which is empty where there is but one, and a row of it.

    Raises:
        QuantriftError: a table has no such key.
    """
    for name, table in tables.items():
        keys = [one.name for one in table.columns if one.group == "key"]
        for key in settings.only:
            check_name(f"only: '{key}' is no key of the table", key, keys)
        title = given.stated["targets"][name]["title"] if len(tables) > 1 else ""
        for row in table.rows:
            if all(row[key] in ids for key, ids in settings.only.items()):
                yield name, title, row
