"""Digests of a job's code: changed code reruns what it made, a changed comment does not.

Snakemake does not notice that a module imported by a script changed. So each job carries, as a parameter, a digest of
its script and of every module that the script leads to, and the versions of the packages that these import. Comments
and docstrings are no code. Nor are fields and validators in ``core/settings``: what they make of a configuration
stands in the job's other parameters, value by value. Whatever else a settings module does, counts; so does all of a
plug-in's module, with the settings that it holds, as one plug-in is all that reruns.
"""

import ast
import atexit
import hashlib
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeGuard

from quantrift.core.base import package_versions
from quantrift.core.base.files import read_json, sha256, write_json

PACKAGE = Path(__file__).resolve().parents[2]
NAME = PACKAGE.name
SETTINGS = PACKAGE / "core" / "settings"
ADDRESSES = f"{NAME}.study.datasets.addresses"
"""The one module that does not count. Jobs take from it where official files may lie, and the digest of each of these
files is a parameter of the job that reads it."""
EVERYWHERE = (f"{NAME}.core.base.process_environment",)
"""Modules that affect every job before its script begins: they set variables that libraries read."""


def of_job(script: Path, modules: Iterable[str] = ()) -> str:
    """Digest of the code of a job, and versions of the packages that this code imports.

    Args:
        script: a Python file.
        modules: dotted names that do not stand in an import statement, of this package or of others.

    Returns:
        64 hexadecimal digits and versions, like ``12ab...; numpy 2.4.6, python 3.11``.
    """
    found, packages = reached(script, [*modules, *EVERYWHERE])
    own = digest_of_names([_digest(script, found), digest_of_folder(PACKAGE / "core" / "base" / "defaults")])
    return f"{own}; {package_versions.stated(packages)}"


def digest(script: Path, modules: Iterable[str] = ()) -> str:
    """Digest of a script, of modules that it loads by name, and of all that these import.

    Args:
        script: a Python file.
        modules: dotted names that do not stand in an import statement, of this package or of others.

    Returns:
        64 hexadecimal digits, equal for files that differ in comments, docstrings and formatting only.
    """
    return _digest(script, reached(script, modules)[0])


def digest_of_folder(folder: Path) -> str:
    """Digest of files that are not Python, like templates, by name and content."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return digest_of_names(f"{path.relative_to(folder)} {sha256(path)}" for path in files)


def digest_of_names(names: Iterable[object]) -> str:
    """Digest of names in their order; Snakemake sees which files a job reads, but not that their order changed."""
    return hashlib.sha256("\n".join(map(str, names)).encode()).hexdigest()


_Read = tuple[str, tuple[str, ...]]
"""Digest of the content of a file that counts, and the dotted names that it imports; ``from a import b`` counts as both
a and a.b."""


def _digest(script: Path, found: dict[str, str]) -> str:
    return digest_of_names([_read(script, "")[0], *(f"{name} {own}" for name, own in sorted(found.items()))])


def reached(script: Path, modules: Iterable[str]) -> tuple[dict[str, str], set[str]]:
    """Digest of each module that a script leads to, by name, and the other packages that these import.

    Modules of other packages are followed where they are named, as exchangeable parts are, and within their package;
    so are those that lie in nobody's folder of installed packages.

    Raises:
        ValueError: this package has no module of a name that is given.
    """
    named = list(modules)
    if missing := [name for name in named if name.partition(".")[0] == NAME and _file(name) is None]:
        # A module that was renamed would count no longer, and nobody would notice.
        raise ValueError(f"there is no module {missing[0]}")
    followed = {NAME, *(name.partition(".")[0] for name in named)}
    found: dict[str, str] = {}
    packages: set[str] = set()
    waiting = [*named, *_read(script, "")[1]]
    while waiting:
        name = waiting.pop()
        top = name.partition(".")[0]
        if top not in followed and not _is_loose(top):
            packages.add(top)
        elif name not in found and name != ADDRESSES and (file := _file(name)):
            found[name], imports = _read(file, name if file.name != "__init__.py" else f"{name}.__init__")
            waiting += imports
            packages |= {top} - {NAME}
    return found, packages


@cache
def _file(name: str) -> Path | None:
    """The file of a module; None for names of no module, and for packages that were never imported."""
    top, *rest = name.split(".")
    # Folders of an imported package; none of a module without a folder.
    for folder in [PACKAGE] if top == NAME else map(Path, getattr(sys.modules.get(top), "__path__", ())):
        path = folder.joinpath(*rest)
        for file in (path.with_suffix(".py"), path / "__init__.py") if rest else (folder / "__init__.py",):
            if file.is_file():
                return file
    alone = getattr(sys.modules.get(top), "__file__", None) if not rest else None
    return Path(alone) if alone else None


@cache
def _is_loose(top: str) -> bool:
    """Whether an imported package lies outside the folders of installed ones, so that no version tells its changes."""
    file = getattr(sys.modules.get(top), "__file__", None)
    return bool(file) and not {"site-packages", "dist-packages"} & {*Path(str(file)).parts}


@cache
def _read(file: Path, name: str) -> _Read:
    """Read a file; ``name`` of the module resolves imports that begin with a dot."""
    content = file.read_bytes()
    if file.suffix != ".py":
        return hashlib.sha256(content).hexdigest(), ()
    key = hashlib.sha256(
        b"\0".join([_RULES, name.encode(), str(file.parent == SETTINGS).encode(), content])
    ).hexdigest()
    if key not in _known:
        _known[key] = _parsed(file, content.decode(), name)
    return _known[key]


def remember(kept: Path) -> None:
    """Take what earlier runs read of files with the same content from a file, and put there what this one reads.

    Most of a dry run would go into reading code. A file that cannot be read or written changes nothing but that.
    """
    with suppress(OSError, ValueError, TypeError):
        _known.update({key: (digest, tuple(imports)) for key, (digest, imports) in read_json(kept).items()})
    # A file of so many entries begins anew.
    if len(_known) > 5000:
        _known.clear()
    before = set(_known)

    def keep() -> None:
        if set(_known) != before:
            with suppress(OSError):
                write_json(kept, _known)

    atexit.register(keep)


_known: dict[str, _Read] = {}
"""By digest of content, name and the rules of this module."""
_RULES = f"{sys.version} ".encode() + Path(__file__).read_bytes()


def _parsed(file: Path, text: str, name: str) -> _Read:
    tree = ast.parse(text)
    imports = tuple(sorted(_imports(tree, name)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # A string that stands alone does nothing: docstrings, and the notes below fields and constants.
            node.body = [item for item in node.body if not (isinstance(item, ast.Expr) and _is_text(item.value))]
            node.body = node.body or [ast.Pass()]
    if file.parent == SETTINGS:
        tree.body = behaviour(tree)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), imports


def behaviour(tree: ast.Module) -> list[ast.stmt]:
    """Code of a settings module beyond its declared fields, types and validators; empty where it only declares.

    Classes of settings are left with what is neither a field nor a validator.
    """
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.decorator_list:
            node.body = [item for item in node.body if not _is_declared(item)] or [ast.Pass()]
    # Classes that have nothing but declarations are empty.
    empty = [
        isinstance(one, ast.ClassDef) and all(isinstance(item, ast.Pass) for item in one.body) for one in tree.body
    ]
    kept = [node for node, is_empty in zip(tree.body, empty, strict=True) if not _is_type(node) and not is_empty]
    return kept if any(not isinstance(node, ast.Import | ast.ImportFrom) for node in kept) else []


def _is_declared(node: ast.stmt) -> bool:
    """Whether a statement of a class is a field or a validator of a settings model."""
    if isinstance(node, ast.AnnAssign):
        return "ClassVar" not in {one.id for one in ast.walk(node.annotation) if isinstance(one, ast.Name)}
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(one, ast.Call) and _called(one) in ("field_validator", "model_validator")
        for one in node.decorator_list
    )


def _is_type(node: ast.stmt) -> bool:
    """Whether a statement names a type, as ``Fraction = Annotated[float, Field(ge=0)]`` does."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Subscript)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id in ("Annotated", "Literal")
    )


def _is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _imports(tree: ast.Module, name: str) -> set[str]:
    """Names that a file imports anywhere, by a statement or by a call with the name itself."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = name.split(".")[: -node.level] if node.level else []
            module = ".".join([*parents, *filter(None, [node.module])])
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "library"):
            names |= {str(one.value) for one in node.args[:1] if _is_text(one)}
    return {one for one in names if one.partition(".")[0] not in sys.stdlib_module_names}


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
