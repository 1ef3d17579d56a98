"""Data flows one way through the folders, and search jobs stay light."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from tests.factories.places import PACKAGE
from tools import structure

import quantrift
from quantrift import api
from quantrift.study.results.targets import kinds


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """Module -> the modules that it imports."""
    return structure.imports()


def test_imports_go_down_and_from_house_to_house_only_through_doors(graph: dict[str, set[str]]) -> None:
    assert [f"{one} -> {two}" for one, two in structure.crossed(graph) if not structure.is_open(one, two)] == []


def test_each_door_is_used(graph: dict[str, set[str]]) -> None:
    asked = [one for one, two in structure.crossed(graph) if one.startswith("study/") and two.startswith("judge/")]
    assert {door for door in structure.DOORS for one in asked if one.startswith(door)} == structure.DOORS


@pytest.mark.parametrize(
    ("module", "other", "open"),
    [
        ("core/search/run", "core/base/files", True),
        ("core/base/files", "core/search/run", False),
        ("judge/verdict/run", "core/search/run", True),
        ("core/search/run", "judge/verdict/run", False),
        ("study/results/page", "judge/verdict/run", False),
        ("study/league/truth", "judge/verdict/run", True),
        ("judge/suite/contest", "study/planning/root", False),
        ("cli/assess", "study/planning/root", True),
    ],
)
def test_walls_stand_where_the_picture_has_them(module: str, other: str, open: bool) -> None:
    assert structure.is_open(module, other) == open


def test_no_modules_lead_to_each_other_not_even_for_types_or_in_functions(graph: dict[str, set[str]]) -> None:
    assert structure.circles(graph) == []


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


def test_imports_and_docstrings_are_no_statements(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        '"""Doc."""\nimport os\nfrom sys import path\n\n\ndef f():\n    """Doc."""\n    return 1\n'
    )
    (tmp_path / "__init__.py").write_text("a = 1\n")
    assert structure.size(tmp_path)[:2] == (1, 2)


def test_a_rule_counts_as_what_snakemake_makes_of_it(tmp_path: Path) -> None:
    (tmp_path / "workflow/rules").mkdir(parents=True)
    (tmp_path / "Snakefile").write_text('include: "workflow/Snakefile"\n')
    (tmp_path / "workflow/Snakefile").write_text("")
    (tmp_path / "workflow/rules/one.smk").write_text("def f():\n    return 1\n\n\nrule one:\n    run:\n        f()\n")
    # The include, the function and its return, the rule and the call in it.
    files, statements, _ = structure.size_of_rules(tmp_path)
    assert files == 3
    assert statements == 5


def test_the_code_keeps_within_its_budget() -> None:
    parts = structure.size(structure.ROOT / "workflow"), structure.size(structure.ROOT / "tools")
    assert sum(one.statements for one in (*parts, structure.size_of_rules())) <= structure.BUDGET


def test_every_folder_is_a_room() -> None:
    folders = {str(file.parent.relative_to(PACKAGE)) for file in PACKAGE.glob("*/*/__init__.py")}
    assert folders | {"cli", "api"} == {*structure.ROOMS} | {f"cli/{name}" for name in ("health", "planning")}


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


def test_package_files_are_empty_but_the_face_which_nothing_inside_imports() -> None:
    assert [file for file in PACKAGE.rglob("__init__.py") if file.read_text()] == [PACKAGE / "__init__.py"]
    named = {
        (file.name, node.module)
        for file in [*PACKAGE.rglob("*.py"), *(PACKAGE.parents[1] / "scripts").glob("*.py")]
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module in ("quantrift", "quantrift.api")
    }
    assert named == {("__init__.py", "quantrift.api")}


def test_the_face_offers_what_the_interface_offers_and_loads_it_on_use() -> None:
    assert {*quantrift.__all__} == {*api.__all__} - {"made"}
    assert api.made is api.task_of
    assert [name for name in quantrift.__all__ if getattr(quantrift, name) is not getattr(api, name)] == []
    with pytest.raises(AttributeError, match="module 'quantrift' has no attribute 'asess'"):
        quantrift.asess  # noqa: B018
    code = (
        "import sys, quantrift, quantrift.core.search.run; print([one for one in sys.modules if one.endswith('.api')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_search_process_loads_no_heavy_library() -> None:
    code = (
        "import sys, quantrift.core.search.run, quantrift.core.search.records.replaying\n"
        "from quantrift.core.base import search_parts\n"
        "from quantrift.core.search.distortions.compound import in_order\n"
        "in_order('hsi'), in_order('images')\n"
        "[search_parts.load(kind, name) for kind in search_parts.FOLDERS for name in search_parts.available(kind)]\n"
        "heavy = {'tensorflow', 'keras', 'pydantic', 'pandas', 'scipy', 'sklearn', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_configuration_is_read_without_what_only_jobs_need() -> None:
    heavy = {"tensorflow", "keras", "sklearn", "pooch"}
    code = f"import sys, quantrift.study.planning.root; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
