"""Every column that a kind of table or figure declares is one that readers of the CSV, Markdown and page understand."""

import re
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, get_args

import pytest

import quantrift
from quantrift.core.statistics.column import Column, Kind


def declared() -> dict[str, tuple[Column, ...]]:
    """All tuples of columns in the package, by module and name."""
    found: dict[str, tuple[Column, ...]] = {}
    for folder in ("core.statistics", "core.page", "study.results"):
        package = import_module(f"quantrift.{folder}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(import_module(module.name)).items():
                if isinstance(value, tuple) and value and all(isinstance(one, Column) for one in value):
                    found[f"{module.name.removeprefix(quantrift.__name__ + '.')}.{name}"] = value
    return found


DECLARED = declared()
TABLES = {name: columns for name, columns in DECLARED.items() if name.endswith(".COLUMNS")}


@pytest.mark.parametrize("columns", DECLARED.values(), ids=DECLARED)
def test_names_labels_and_kinds(columns: tuple[Column, ...]) -> None:
    names = [column.name for column in columns]
    assert len(set(names)) == len(names)
    for column in columns:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", column.name)
        assert column.kind in get_args(Kind), column
        # A sentence of the glossary.
        assert re.fullmatch(r"(([A-Z1-9'\"]|p-value).*\.)?", column.meaning), column
        assert column.label or column.group == "end", column


@pytest.mark.parametrize("columns", TABLES.values(), ids=TABLES)
def test_a_column_names_ends_remarks_and_tests_that_its_table_has(columns: tuple[Column, ...]) -> None:
    names: set[Any] = {column.name for column in columns} | {""}
    for column in columns:
        assert {column.low, column.high, column.rests_on} <= names, column
        assert bool(column.low) == bool(column.high), column
