"""Figures on the structure of the code: ``python -m tools.structure``.

The figures are statements of each room, sizes of files, and imports between rooms.
"""

import ast
import io
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from snakemake import parser
from snakemake.sourcecache import LocalSourceFile
from tests.factories.places import PACKAGE, ROOT

from quantrift.core.base import code_digests

BUDGET = 27_000
"""Statements that the whole code may have: what adds takes away elsewhere."""


class Size(NamedTuple):
    """Size of code: files, statements in them (imports, docstrings and notes are none), nodes of their syntax trees."""

    files: int
    statements: int
    nodes: int


def size(folder: Path) -> Size:
    """Size of the Python code below a folder."""
    return _size([file.read_text() for file in folder.rglob("*.py") if file.name != "__init__.py"])


def size_of_rules(root: Path = ROOT) -> Size:
    """Size of the Snakefiles and rules, as the Python code that Snakemake makes of them."""
    files = [root / "Snakefile", root / "workflow/Snakefile", *sorted((root / "workflow/rules").glob("*.smk"))]
    cache = SimpleNamespace(open=lambda file: io.StringIO(Path(file.get_path_or_uri(True)).read_text()))
    workflow = SimpleNamespace(sourcecache=cache)
    return _size([parser.parse(LocalSourceFile(str(file)), workflow, {})[0] for file in files])


def _size(codes: list[str]) -> Size:
    nodes = [node for code in codes for node in ast.walk(ast.parse(code))]
    return Size(len(codes), sum(map(_counts, nodes)), len(nodes))


def _counts(node: ast.AST) -> bool:
    is_note = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.stmt) and not is_note and not isinstance(node, ast.Import | ast.ImportFrom)


def imports(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Module -> other modules of the package that it imports anywhere: in functions and for types alone, too."""
    every = {file: [package.name, *file.relative_to(package).with_suffix("").parts] for file in package.rglob("*.py")}
    files = {".".join(parts).removesuffix(".__init__"): file for file, parts in every.items()}
    # The package of a module that is imported is not meant itself; its file is empty.
    known = {module for module, file in files.items() if file.name != "__init__.py"}
    return {
        module: (code_digests._imports(ast.parse(file.read_text()), module) & known) - {module}
        for module, file in files.items()
    }


ROOMS = (
    *("core/base", "core/settings", "core/networks", "core/pairs", "core/search", "core/statistics", "core/page"),
    *("judge/intake", "judge/verdict", "judge/certify", "judge/mend", "judge/python", "judge/suite"),
    *("study/datasets", "study/compression", "study/results", "study/planning", "study/board", "study/league"),
    *("cli", "api"),
)
"""Rooms, lowest first: each imports only rooms before it, and of other houses only the core."""
DOORS = {"study/compression/mend_job", "study/board", "study/league"}
"""Modules and rooms of the study that ask the judge."""


def room(module: str) -> str:
    """Room of a module, which is given like ``core/base/files``."""
    return next(one for one in ROOMS if module == one or module.startswith(f"{one}/"))


def is_open(module: str, other: str) -> bool:
    """True where the walls let one module import the other."""
    own, theirs = room(module), room(other)
    house, other_house = own.partition("/")[0], theirs.partition("/")[0]
    at_door = any(module == door or module.startswith(f"{door}/") for door in DOORS)
    met = other_house == "core" or house in (other_house, "cli", "api") or (other_house == "judge" and at_door)
    return own == theirs or (met and ROOMS.index(theirs) < ROOMS.index(own))


def crossed(graph: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Imports from room to room, as (module, other); the face of the package is no room."""
    pairs = ((module, other) for module in sorted(graph) for other in sorted(graph[module]) if "." in module)
    named = ((one.partition(".")[2].replace(".", "/"), two.partition(".")[2].replace(".", "/")) for one, two in pairs)
    return [(one, two) for one, two in named if room(one) != room(two)]


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which leads to all others of its group."""
    modules = sorted(graph)
    arrows = np.array([[other in graph[one] for other in modules] for one in modules])
    _, group = connected_components(arrows, connection="strong")
    groups = [[modules[place] for place in np.flatnonzero(group == one)] for one in np.unique(group)]
    return [one for one in groups if len(one) > 1]


def main() -> None:
    """Print all figures."""
    print(f"{'room':<20}{'files':>6}{'statements':>12}{'nodes':>10}")
    sizes = {
        **{name: size(PACKAGE / name) for name in ROOMS if (PACKAGE / name).is_dir()},
        "api": _size([(PACKAGE / "api.py").read_text()]),
        **{folder.name: size(folder) for folder in (PACKAGE.parents[1] / "scripts", ROOT / "tools")},
        "rules": size_of_rules(),
    }
    sizes["all"] = Size(*map(sum, zip(*sizes.values(), strict=True)))
    for name, (files, number, nodes) in sizes.items():
        print(f"{name:<20}{files:>6}{number:>12}{nodes:>10}")
    graph = imports()
    print(f"wrong imports {[one for one in crossed(graph) if not is_open(*one)]}, circles {circles(graph)}")


if __name__ == "__main__":
    main()
