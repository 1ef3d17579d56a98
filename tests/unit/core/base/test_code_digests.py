"""Digests of jobs count all that can change a byte of a result, and nothing that cannot."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module, metadata
from pathlib import Path

import pydantic
import pytest
from tests.factories.places import ROOT

from quantrift.core.base import code_digests, package_versions, plugins
from quantrift.core.pairs import own_pair
from quantrift.study.compression import method
from quantrift.study.datasets import addresses, dataset_kind

SCRIPTS = sorted((ROOT / "workflow" / "scripts").glob("*.py"))
MODULES = sorted(path for path in code_digests.SETTINGS.glob("*.py") if path.stem != "__init__")
COMPUTING = (
    *(f"core/{room}" for room in ("base", "networks", "pairs", "search", "statistics", "page")),
    *(f"study/{room}" for room in ("datasets", "compression", "results")),
)
STATED_ELSEWHERE = {("study/datasets/prepare.py", "ImageInputs"), ("study/compression/distillation.py", "Networks")}
"""Settings that job code takes from their defaults; rules ``inputs`` and ``compress`` have these as parameters."""
TYPES_ALONE = {(f"study/compression/{name}.py", "Networks") for name in ("bits/bit_networks", "published_form")}
"""The type of a network's settings is asked for, and every value stated."""


def declared(file: Path) -> Iterator[tuple[str, ast.stmt]]:
    """(class, statement) of all that digests leave out of the classes of a module."""
    kept = {
        (node.name, ast.dump(item))
        for node in code_digests.behaviour(ast.parse(file.read_text()))
        if isinstance(node, ast.ClassDef)
        for item in node.body
    }
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                is_note = isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
                if (node.name, ast.dump(item)) not in kept and not is_note and not isinstance(item, ast.Pass):
                    yield node.name, item


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.stem)
def test_only_fields_and_validators_of_settings_models_do_not_count(file: Path) -> None:
    module = import_module(f"quantrift.core.settings.{file.stem}")
    for name, item in declared(file):
        owner = getattr(module, name)
        assert issubclass(owner, pydantic.BaseModel), f"{name} is no settings model: all of it counts"
        if isinstance(item, ast.AnnAssign):
            assert isinstance(item.target, ast.Name)
            assert item.target.id in {*owner.model_fields, *owner.__annotations__}
            assert item.target.id not in owner.__class_vars__
        else:
            assert isinstance(item, ast.FunctionDef)
            checks = owner.__pydantic_decorators__
            assert item.name in {**checks.model_validators, **checks.field_validators}


def test_functions_methods_constants_and_class_variables_of_settings_count() -> None:
    """The ones that once changed results and reran nothing."""
    for module, statement in (
        ("bit_studies", "shaped"),
        ("datasets", "simulated"),
        ("datasets", "official_files"),
        ("searches", "DRAW"),
    ):
        kept = code_digests.behaviour(ast.parse((code_digests.SETTINGS / f"{module}.py").read_text()))
        assert statement in "\n".join(map(ast.unparse, kept)), f"{module}.{statement}"


def test_a_module_that_only_declares_is_nothing_to_a_digest() -> None:
    text = "from a import B\nX = Annotated[int, 1]\nclass C(B):\n    x: int = 1\n"
    assert code_digests.behaviour(ast.parse(text)) == []
    assert code_digests.behaviour(ast.parse(f"{text}    def f(self): return self.x\n")) != []
    assert code_digests.behaviour(ast.parse(f"{text}Y = 3\n")) != []


def test_job_code_takes_no_settings_from_their_defaults() -> None:
    models = {
        name: value
        for file in MODULES
        for name, value in vars(import_module(f"quantrift.core.settings.{file.stem}")).items()
        if inspect.isclass(value) and issubclass(value, pydantic.BaseModel)
    }
    found = set()
    for room in COMPUTING:
        for file in sorted((code_digests.PACKAGE / room).rglob("*.py")):
            if file == Path(addresses.__file__):
                continue
            tree = ast.parse(file.read_text())
            imported = {
                alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("quantrift.core.settings.")
                for alias in node.names
            }
            # What a plug-in's settings have by default, the parameters of its jobs state.
            defaults = {
                id(part)
                for node in tree.body
                if isinstance(node, ast.ClassDef) and node.name == "Settings"
                for part in ast.walk(node)
            }
            for node in ast.walk(tree):
                if not isinstance(node, ast.Call) or id(node) in defaults:
                    continue
                assert not ast.unparse(node.func).endswith(".Settings"), f"{file}: settings of a plug-in"
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                if name in imported & set(models):
                    if name == "Training":
                        # Nothing is trained: threads and seed are all that counts.
                        assert {"threads", "seed"} <= {one.arg for one in node.keywords}
                        continue
                    found.add((str(file.relative_to(code_digests.PACKAGE)), name))
    assert found == STATED_ELSEWHERE | TYPES_ALONE


def test_the_one_module_that_does_not_count_says_where_files_may_lie_and_nothing_else() -> None:
    assert addresses.__name__ == code_digests.ADDRESSES
    assert inspect.signature(addresses.of_job).return_annotation is addresses.Addresses
    assert set(addresses.Addresses.__annotations__) == {"data", "files"}
    taken = set()
    for file in [*SCRIPTS, *(one for room in COMPUTING for one in (code_digests.PACKAGE / room).rglob("*.py"))]:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == code_digests.ADDRESSES:
                taken |= {alias.name for alias in node.names}
    assert taken == {"of_job", "mirror", "Addresses"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_no_job_leads_to_measured_rates_or_to_what_plans_the_workflow(script: Path) -> None:
    reached, _ = code_digests.reached(script, [])
    assert not [name for name in reached if name.startswith("quantrift.study.planning.")]


@pytest.mark.parametrize(("script", "folder"), [("source", dataset_kind.FOLDER), ("compress", method.FOLDER)])
def test_a_job_leads_to_its_own_plug_in_alone(script: str, folder: str) -> None:
    for name in plugins.names(folder):
        reached, _ = code_digests.reached(ROOT / "workflow" / "scripts" / f"{script}.py", [f"{folder}.{name}"])
        assert {one for one in reached if one.startswith(f"{folder}.")} == {f"{folder}.{name}"}


def test_a_version_counts_where_the_package_computes() -> None:
    scripts = {name: ROOT / "workflow" / "scripts" / f"{name}.py" for name in ("search", "page")}
    search = code_digests.of_job(scripts["search"], [own_pair.__name__, f"{own_pair.RUNTIMES}.litert"])
    page = code_digests.of_job(scripts["page"])
    assert f"numpy {metadata.version('numpy')}" in search
    assert f"ai-edge-litert {metadata.version('ai-edge-litert')}" in search
    assert "ai-edge-litert" not in page
    assert f"jinja2 {metadata.version('jinja2')}" in page
    assert re.search(r"python 3\.\d+$", page)


def test_every_import_of_job_code_is_of_a_known_package() -> None:
    """A package under another name than its import would never show its version."""
    tops = set()
    for script in SCRIPTS:
        tops |= code_digests.reached(script, [])[1]
    files = [file for room in COMPUTING for file in (code_digests.PACKAGE / room).rglob("*.py")]
    library = code_digests.PACKAGE.parent
    modules = [str(file.relative_to(library).with_suffix("")).replace("/", ".") for file in files]
    tops |= code_digests.reached(SCRIPTS[0], modules)[1]
    missing = {name for name in re.findall(r"([\w.-]+) none", package_versions.stated(tops))}
    # Extras that a machine may lack.
    assert missing <= {"ai-edge-quantizer", "coremltools", "eagerpy", "executorch", "foolbox", "geneticalgorithm",
                       "onnx", "onnxruntime", "openvino", "pymoo", "pyswarm", "torch"}  # fmt: skip


def test_modules_of_other_packages_count_with_what_they_import_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "elsewhere"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "searcher.py").write_text("from .steps import SIZE\n")
    (package / "steps.py").write_text("SIZE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import_module("elsewhere.searcher")

    def now() -> str:
        code_digests._read.cache_clear()
        return code_digests.of_job(SCRIPTS[0], ["elsewhere.searcher"])

    before = now()
    (package / "steps.py").write_text("SIZE = 1  # steps\n")
    assert now() == before
    (package / "steps.py").write_text("SIZE = 2\n")
    changed = now()
    assert changed != before
    (package / "searcher.py").write_text("from .steps import SIZE\nMORE = 1\n")
    assert now() not in (before, changed)
    for name in ("elsewhere", "elsewhere.searcher", "elsewhere.steps"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "statement",
    [
        "import quantrift.core.statistics.signed_rank",
        "import numpy, quantrift.core.statistics.signed_rank as effect",
        "from quantrift.core.statistics import signed_rank",
        "from quantrift.core.statistics.signed_rank import a12",
        "def late():\n    import quantrift.core.statistics.signed_rank",
        'import_module("quantrift.core.statistics.signed_rank")',
        'library("quantrift.core.statistics.signed_rank", "it is not installed")',
    ],
)
def test_a_module_counts_however_it_is_imported(statement: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"{statement}\n")
    found, packages = code_digests.reached(script, [])
    assert "quantrift.core.statistics.signed_rank" in found
    assert "numpy" in packages
    assert "it is not installed" not in packages


def test_the_order_of_files_counts() -> None:
    assert code_digests.digest_of_names(["a", "b"]) != code_digests.digest_of_names(["b", "a"])
    assert code_digests.digest_of_names([Path("a"), "b"]) == code_digests.digest_of_names(["a", "b"])


def test_a_module_that_does_not_exist_is_no_code_to_count() -> None:
    with pytest.raises(ValueError, match=r"there is no module quantrift\.core\.networks\.lenet0"):
        code_digests.of_job(SCRIPTS[0], ["quantrift.core.networks.lenet0"])


def test_every_job_counts_what_decides_before_its_script_begins() -> None:
    for script in SCRIPTS:
        reached, _ = code_digests.reached(script, code_digests.EVERYWHERE)
        assert "quantrift.core.base.process_environment" in reached
