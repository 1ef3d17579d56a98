"""Keys of kept results: digests of texts, and of the code in folders and modules of the package."""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

from quantrift.core.base.code_digests import PACKAGE


def key(*parts: str) -> str:
    """16 hexadecimal digits of texts, and of the code in those that name a folder or module of the package.

    Docstrings and comments are no part of the code.
    """
    text = json.dumps([_code(part) if (PACKAGE / part).exists() else part for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _code(name: str) -> list[str]:
    """Digests of the modules of a folder of the package, or of one module."""
    path = PACKAGE / name
    return [_digest(file) for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]


@cache
def _digest(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_text(node: ast.AST) -> bool:
    """Whether it is a docstring, of a module, class, function or of the name before it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
