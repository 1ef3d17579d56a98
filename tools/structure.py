"""Figures on the structure of the code: ``python -m tools.structure``, and a quiz on it, ``... places SEED``.

The figures are modules that a job, a plan and an assessment execute, commits that made every search stale, statements
of each room, names that recur, sizes of files.
"""

import ast
import io
import random
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from snakemake import parser
from snakemake.sourcecache import LocalSourceFile
from tests.factories.places import PACKAGE, ROOT
from tools.executed import executed

from quantrift.core.base import code_digests

COMMITS = 300
"""Last commits of which those are counted that made every search stale."""
BUDGET = 27_000
"""Statements that the whole code may have: what adds takes away elsewhere."""
OPENED = "quantrift.core.pairs.own_pair", "quantrift.core.networks.own.litert"
"""Modules that every search of a network made here loads by name."""


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
    files = {_module(file, package): file for file in package.rglob("*.py")}
    # The package of a module that is imported is not meant itself; its file is empty.
    known = {module for module, file in files.items() if file.name != "__init__.py"}
    return {
        module: (code_digests._imports(ast.parse(file.read_text()), module) & known) - {module}
        for module, file in files.items()
    }


ROOMS = (
    *("core/base", "core/settings", "core/networks", "core/pairs", "core/search", "core/statistics", "core/page"),
    *("judge/intake", "judge/verdict", "judge/certify", "judge/mend", "judge/python", "judge/suite"),
    *("study/datasets", "study/compression", "study/results", "study/planning", "study/league"),
    *("cli", "api"),
)
"""Rooms, lowest first: each imports only rooms before it, and of other houses only the core."""
DOORS = {"study/compression/mend_job", "study/league"}
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


def _module(file: Path, package: Path) -> str:
    return ".".join([package.name, *file.relative_to(package).with_suffix("").parts]).removesuffix(".__init__")


def names(package: Path = PACKAGE) -> Counter[str]:
    """Names of files that several folders of the package or of the scripts have, and how many."""
    files = [*package.rglob("*.py"), *(package.parents[1] / "scripts").glob("*.py")]
    counts = Counter(file.name for file in files if file.name != "__init__.py")
    return Counter({name: count for name, count in counts.items() if count > 1})


def places(seed: int, package: Path = PACKAGE) -> Iterator[tuple[str, str]]:
    """A module of each of ten rooms: the first line of its docstring, and its file."""
    rng = random.Random(seed)
    for room in sorted(rng.sample([one for one in ROOMS if (package / one).is_dir()], 10)):
        file = rng.choice(sorted(file for file in (package / room).rglob("*.py") if file.name != "__init__.py"))
        yield str(ast.get_docstring(ast.parse(file.read_text()))).splitlines()[0], str(file.relative_to(package))


def stale(count: int) -> tuple[int, int]:
    """Commits before the last one, and those of them that changed code which every search runs."""
    commits = _git("rev-list", "--first-parent", "-n", str(count + 1), "HEAD").split()
    digests = [_search_digest(commit) for commit in commits]
    return len(commits) - 1, sum(one != other for one, other in pairwise(digests))


def _search_digest(commit: str) -> list[tuple[str, str]]:
    """Modules that all searches lead to at a commit, each with the digest of its code."""
    lines = (line.split() for line in _git("ls-tree", "-r", commit, "workflow").splitlines() if line.endswith(".py"))
    blobs = {path: blob for _, _, blob, path in lines}
    found: dict[str, str] = {}
    waiting = ["workflow.scripts.search", *OPENED]
    while waiting:
        name = waiting.pop()
        path = name.replace("quantrift", "workflow.lib.quantrift", 1).replace(".", "/") + ".py"
        if path in blobs and name not in found:
            found[name], imported = _code(blobs[path], path, name)
            waiting += imported
    return sorted(found.items())


@cache
def _code(blob: str, path: str, name: str) -> tuple[str, tuple[str, ...]]:
    return code_digests._parsed(ROOT / path, _git("cat-file", "blob", blob), name)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Print all figures."""
    print(f"{'executed by':<12}{'modules':>8}")
    for what, own in executed().items():
        rooms = Counter(map(room, own)).most_common()
        print(f"{what:<12}{len(own):>8}   of {', '.join(f'{name} {n}' for name, n in rooms)}")
    print("commits {}, of them {} made every search stale".format(*stale(COMMITS)))
    print(f"\n{'room':<20}{'files':>6}{'statements':>12}{'nodes':>10}")
    sizes = {
        **{name: size(PACKAGE / name) for name in ROOMS if (PACKAGE / name).is_dir()},
        "api": _size([(PACKAGE / "api.py").read_text()]),
        **{folder.name: size(folder) for folder in (PACKAGE.parents[1] / "scripts", ROOT / "tools")},
        "rules": size_of_rules(),
    }
    sizes["all"] = Size(*map(sum, zip(*sizes.values(), strict=True)))
    for name, (files, number, nodes) in sizes.items():
        print(f"{name:<20}{files:>6}{number:>12}{nodes:>10}")
    print(f"bytes of config/*.yaml {sum(file.stat().st_size for file in (ROOT / 'config').glob('*.yaml'))}")
    lines = [len(file.read_text().splitlines()) for file in PACKAGE.rglob("*.py") if file.name != "__init__.py"]
    print(f"\nfiles {len(lines)}, median {statistics.median(lines):.0f} lines, largest {max(lines)}")
    graph = imports()
    between = crossed(graph)
    wrong = [f"{one} -> {two}" for one, two in between if not is_open(one, two)]
    print(
        f"rooms {len(ROOMS)}, arrows between them {len({(room(one), room(two)) for one, two in between})}, imports "
        f"{sum(map(len, graph.values()))}, wrong ones {len(wrong)}, circles {len(circles(graph))}"
    )
    print(f"names that recur {len(names())}, of {sum(names().values())} files: {', '.join(sorted(names()))}")


def quiz(seed: int) -> None:
    """Print the tree, ten descriptions, and last the files that they are of."""
    drawn = list(places(seed))
    print(
        *sorted(str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py") if file.name != "__init__.py"),
        sep="\n",
    )
    print("\nWhich file holds ...", *(f"{number}. {text}" for number, (text, _) in enumerate(drawn, 1)), sep="\n")
    print("\nAnswers", *(f"{number}. {file}" for number, (_, file) in enumerate(drawn, 1)), sep="\n")


if __name__ == "__main__":
    quiz(int(sys.argv[2])) if sys.argv[1:2] == ["places"] else main()
