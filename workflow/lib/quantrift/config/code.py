"""Digests of the code that a job uses, so that changed code reruns what it made, and a comment does not.

Snakemake does not notice that a module imported by a script changed. So each job carries, as a parameter, a digest of
its script and of every module of this package that the script leads to. Two things lead to no module: comments and
docstrings, which are not code; and settings models, whose effect stands in the job's other parameters.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = f"{PACKAGE.name}."
WITHOUT_EFFECT = ("quantrift.config.", "quantrift.cli.", "quantrift.data.download", "quantrift.data.official")
"""What makes settings of YAML, starts and ends processes, or fetches files whose content a digest fixes."""
BEHAVIOUR = frozenset({"quantrift.config.streams", "quantrift.config.blocks"})
"""The exceptions: random streams, and which run seeds a block's name stands for."""


def digest(script: Path, modules: Iterable[str] = ()) -> str:
    """Digest of a script, of modules that it loads by name, and of all that these import from this package.

    Args:
        script: a Python file.
        modules: dotted names that do not stand in an import statement; those of other packages count too, by
            themselves.

    Returns:
        64 hexadecimal digits, equal for files that differ in comments, docstrings and formatting only.
    """
    found: dict[str, str] = {}
    waiting = [*modules, *_imports(script)]
    while waiting:
        name = waiting.pop()
        if name in found or (name.startswith(WITHOUT_EFFECT) and name not in BEHAVIOUR):
            continue
        file = _file(name)
        if file is None:
            continue
        found[name] = _of_file(file)
        waiting += _imports(file)
    parts = [_of_file(script), *(f"{name} {own}" for name, own in sorted(found.items()))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def digest_of_folder(folder: Path) -> str:
    """Digest of files that are not Python, like templates, by name and content."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    own = [f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    return hashlib.sha256("\n".join(own).encode()).hexdigest()


def _file(name: str) -> Path | None:
    """The file of a module of this package; None for others, and for names that are no module."""
    if not name.startswith(ROOT):
        return None
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def _of_file(file: Path) -> str:
    """Digest of a file's code."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # A string that stands alone does nothing: docstrings, and the notes below fields and constants.
            node.body = [item for item in node.body if not _is_note(item)] or [ast.Pass()]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_note(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@cache
def _imports(file: Path) -> tuple[str, ...]:
    """Names of this package that a file imports anywhere; ``from a import b`` counts as both a and a.b."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return tuple(sorted(name for name in names if name.startswith(ROOT)))
