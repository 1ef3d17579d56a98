"""Data flows one way through the folders, and search jobs stay light."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from tests.factories.places import PACKAGE
from tools import structure

from quantrift.targets import kinds

ROOMS = ["base", "config", "data", "models", "compression", "subjects", "search", "records", "metrics", "targets"]
RANK = {name: rank for rank, name in enumerate(ROOMS)}
RANK |= {
    "tables": 10,
    "figures": 10,
    "plan": 11,
    "report": 11,
    "assess": 12,
    "certify": 13,
    "mend": 13,
    "api": 14,
    "checks": 15,
    "suite": 15,
    "cli": 16,
}


def imported_rooms(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module == "quantrift":
            names = [f"quantrift.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("quantrift.")}
    return found


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_backwards_along_the_way_of_the_data(file: Path) -> None:
    room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room == "__init__":
        return
    for other in imported_rooms(file):
        assert other == room or RANK[other] < RANK[room], f"{room} must not import {other}"


def test_no_modules_lead_to_each_other_not_even_for_types_or_in_functions() -> None:
    assert structure.circles(structure.imports()) == []


def test_modules_that_lead_to_each_other_are_found(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name, text in (
        ("__init__.py", ""),
        ("a.py", f"from {tmp_path.name} import b"),
        ("b.py", f"def f():\n    import {tmp_path.name}.inner.c"),
        ("inner/c.py", f"from {tmp_path.name}.a import name"),
        ("d.py", f"import {tmp_path.name}.a"),
    ):
        (tmp_path / name).write_text(text)
    found = structure.circles(structure.imports(tmp_path))
    assert found == [[f"{tmp_path.name}.{name}" for name in ("a", "b", "inner.c")]]


def test_every_folder_is_a_room() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(RANK)


@pytest.mark.parametrize("kind", [*kinds.names("tables"), *kinds.names("figures")])
def test_every_kind_of_target_is_a_module_that_says_what_it_states_needs_and_makes(kind: str) -> None:
    module = kinds.load(kind)
    assert module.Settings.model_fields["kind"].annotation == Literal[kind]
    assert callable(module.needs)
    assert callable(module.make)


@pytest.mark.parametrize("kind", kinds.names("tables"))
def test_columns_of_a_table_are_declared_once_each(kind: str) -> None:
    names = [column.name for column in kinds.load(kind).COLUMNS]
    assert len(names) == len(set(names))
    columns = kinds.load(kind).COLUMNS
    assert all(other in names for column in columns for other in (column.low, column.high, column.p) if other)


def test_package_files_are_empty_but_that_of_the_python_interface_which_only_gathers_names() -> None:
    filled = [file for file in PACKAGE.rglob("__init__.py") if file.read_text()]
    assert filled == [PACKAGE / "api" / "__init__.py"]
    docstring, *imports, names = ast.parse(filled[0].read_text()).body
    assert isinstance(docstring, ast.Expr)
    assert {type(node) for node in imports} == {ast.ImportFrom}
    assert isinstance(names, ast.Assign)
    assert ast.unparse(names.targets[0]) == "__all__"


def test_a_search_process_loads_no_heavy_library() -> None:
    code = (
        "import sys, quantrift.search.run, quantrift.records.replaying\n"
        "from quantrift.base import search_parts\n"
        "from quantrift.search.distortions.folders import in_order\n"
        "in_order('hsi'), in_order('images')\n"
        "[search_parts.load(kind, name) for kind in search_parts.FOLDERS for name in search_parts.available(kind)]\n"
        "heavy = {'tensorflow', 'keras', 'pydantic', 'pandas', 'scipy', 'sklearn', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_configuration_is_read_without_what_only_jobs_need() -> None:
    heavy = {"tensorflow", "keras", "sklearn", "pooch"}
    code = f"import sys, quantrift.plan.root; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
