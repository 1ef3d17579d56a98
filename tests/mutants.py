"""Mutants: small mistakes in the code, drawn, and the tests that notice them: ``python -m tests.mutants --seed 1``.

Each mutant is one change of one module of the package: a comparison, an operator, a number, a name, a condition, a
statement or a piece of a sentence left out. It is killed where a test fails that runs the changed lines, in its own
process or in a command that it starts; ``make coverage`` notes which tests do. Code outside functions is run on import,
which belongs to no test: there, a mutant is killed where a test fails of its room, of those that run any line of its
module, or of those that compare files made from the code. At most ``MOST`` tests are tried, those of the module's room
first, then others drawn evenly, slow ones last. Mutants that survive are printed with what was changed; some of them
change nothing that anyone could see, which is for a reader to judge.

Neither mutmut nor cosmic-ray serves here: mutmut leaves the constants of modules alone and wraps each function, which
parts that are found by their signatures do not survive; cosmic-ray runs all mutants of a tree, hundreds of thousands
here, and brings fifteen packages.
"""

import argparse
import ast
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from coverage import CoverageData
from tests.factories.places import PACKAGE, ROOT

MOST = 80
"""Most tests for a mutant."""
LONGEST_S = 300
"""Most seconds for one test; what takes longer is killed, as its loop may have no end."""
SLOW_S = 90
"""Seconds for the slow tests of a mutant that survives the quick ones; those that do not end by then do not count."""
MADE_FROM_CODE = (
    "tests/unit/tools/test_schema.py",
    "tests/unit/docs/test_targets.py",
    "tests/unit/docs/test_artifact.py",
)
"""Tests of files that are made from the code: schema, page of targets, tables of ARTIFACT.md."""
EXCHANGED: list[tuple[Any, Any]] = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
]
EXCHANGED += [(ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or), (ast.BitAnd, ast.BitOr)]
OPERATORS: dict[Any, Any] = {old: new for pair in EXCHANGED for old, new in (pair, pair[::-1])}
OPERATORS |= {ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.Mod: ast.Mult}
TURNED: dict[Any, Any] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
NAMES = {"min": "max", "any": "all", "floor": "ceil", "minimum": "maximum", "argmin": "argmax", "nanmin": "nanmax"}
NAMES |= {new: old for old, new in NAMES.items()}
LEFT_OUT = ast.Expr | ast.AugAssign | ast.Raise | ast.Continue
"""Statements that a mutant may lack."""
Change = tuple[ast.AST, Callable[[], None]]
"""A part of a syntax tree, and what changes it in place."""


@dataclass(frozen=True)
class Mutant:
    """A change of a module: the number of the change, in the order of its syntax tree."""

    module: Path
    """Relative to the package."""
    number: int

    @property
    def room(self) -> str:
        """Folder of the package that the module lies in."""
        return self.module.parts[0]

    def text(self) -> str:
        """The module with the change, without its comments."""
        tree = ast.parse((PACKAGE / self.module).read_text())
        list(changes(tree))[self.number][1]()
        return ast.unparse(ast.fix_missing_locations(tree))

    def lines(self) -> range:
        """Lines of the module that the change touches, from 1; none where they are run on import."""
        tree = ast.parse((PACKAGE / self.module).read_text())
        changed: Any = list(changes(tree))[self.number][0]
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        if any(changed is part for one in functions for statement in one.body for part in ast.walk(statement)):
            return range(changed.lineno, changed.end_lineno + 1)
        return range(0)

    def shown(self) -> str:
        """Lines that the change takes and brings."""
        old = ast.unparse(ast.parse((PACKAGE / self.module).read_text())).splitlines()
        lines = difflib.unified_diff(old, self.text().splitlines(), n=0, lineterm="")
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def changes(tree: ast.Module) -> Iterator[Change]:
    """All changes of a module, each to be made in place.

    Left as they are: annotations and docstrings; prose outside functions, which is help and titles; ``strict=`` of a
    ``zip`` and what a decorator is told, which only guard against mistakes.
    """
    spared: set[ast.AST] = set()
    in_function: set[ast.AST] = set()
    for node in ast.walk(tree):
        notes = [getattr(node, field, None) for field in ("annotation", "returns")]
        notes += getattr(node, "decorator_list", [])
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            notes.append(node)
        if isinstance(node, ast.keyword) and node.arg == "strict":
            notes.append(node)
        spared.update(part for note in notes if note for part in ast.walk(note))
        if isinstance(node, ast.FunctionDef) and node not in in_function:
            in_function.update(ast.walk(node))
        if node not in spared and (node in in_function or not _prose(node)):
            yield from _of_node(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            for place, statement in enumerate(block):
                if isinstance(statement, LEFT_OUT) and statement not in spared and not _docstring(statement):
                    yield statement, partial(block.__setitem__, place, ast.Pass())


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _prose(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip()


def _of_node(node: ast.AST) -> Iterator[Change]:
    put = partial(setattr, node)
    match node:
        case ast.Compare(ops=[one, *rest]) if type(one) in OPERATORS:
            yield node, partial(put, "ops", [OPERATORS[type(one)](), *rest])
            if type(one) in TURNED:
                yield node, partial(put, "ops", [TURNED[type(one)](), *rest])
        case ast.BinOp(op=one) | ast.AugAssign(op=one) | ast.BoolOp(op=one) if type(one) in OPERATORS:
            yield node, partial(put, "op", OPERATORS[type(one)]())
        case ast.If(test=test) | ast.IfExp(test=test):
            yield node, partial(put, "test", ast.UnaryOp(ast.Not(), test))
        case ast.Constant(value=bool() as value):
            yield node, partial(put, "value", not value)
        case ast.Constant(value=int() | float() as value):
            yield node, partial(put, "value", value + 1)
            yield node, partial(put, "value", value - 1)
        case ast.Constant(value=str() as value) if value.strip():
            yield node, partial(put, "value", "" if _prose(node) else f"{value}?")
        case ast.Call(func=ast.Name(id=name) as called) if name in NAMES:
            yield node, partial(setattr, called, "id", NAMES[name])
        case ast.Call(func=ast.Attribute(attr=name) as called) if name in NAMES:
            yield node, partial(setattr, called, "attr", NAMES[name])


def drawn(seed: int, number: int, rooms: list[str]) -> list[Mutant]:
    """Mutants without repetition: as many of each room, and of a room each change is as likely as another."""
    rng = random.Random(seed)
    of_room: dict[str, list[Mutant]] = {}
    for room in rooms:
        files = [file for file in sorted((PACKAGE / room).rglob("*.py")) if file.name != "__init__.py"]
        every = [
            Mutant(file.relative_to(PACKAGE), place)
            for file in files
            for place in range(sum(1 for _ in changes(ast.parse(file.read_text()))))
        ]
        of_room[room] = rng.sample(every, min(len(every), -(-number // len(rooms))))
    turns = [one[turn] for turn in range(number) for one in of_room.values() if turn < len(one)]
    return turns[:number]


def tests_of(mutant: Mutant, run: CoverageData) -> list[str]:
    """Tests that run the lines of a mutant, those of its room first; whole files where a fixture runs the lines."""
    of_line = run.contexts_by_lineno(str(PACKAGE / mutant.module))
    lines = mutant.lines()
    found = {context for line in lines for context in of_line.get(line, ()) if context}
    tests = set()
    if not lines:
        found = {context for contexts in of_line.values() for context in contexts if context}
        room = (ROOT / "tests" / "unit" / mutant.room).rglob("test_*.py")
        tests |= {str(file.relative_to(ROOT)) for file in room} | {*MADE_FROM_CODE}
    for context in found:
        test, _, phase = context.rpartition(" ")
        tests.add(test if phase == "(call)" else test.partition("::")[0])
    own = re.compile(rf"tests/(unit/|property/test_){mutant.room}\b")
    name = mutant.module.stem
    rng = random.Random(str(mutant))
    whole = ("tests/dag", "tests/e2e")

    def near(test: str) -> tuple[bool, bool]:
        return not own.match(test), name not in test

    drawn_from = sorted(sorted(tests), key=lambda test: (near(test), rng.random()))
    return sorted(drawn_from[:MOST], key=lambda test: (near(test), test.startswith(whole), test))


def failing(checkout: Path, tests: list[str], marks: str, seconds: float | None = None) -> str | None:
    """The first of some tests with these marks that fails in a copy of the checkout; None where none does in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    paths = os.pathsep.join([str(checkout / "workflow" / "lib"), str(checkout)])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*command, "-m", marks, "--timeout", str(LONGEST_S), *tests],
            cwd=checkout,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
        return None
    said = done.stdout + done.stderr
    if done.returncode == pytest.ExitCode.USAGE_ERROR:
        # Its file cannot be collected, or there is no such test any more.
        lost = re.search(
            r"^ERROR: (?:not found:|file or directory not found:|found no collectors for) (.*)$", said, re.M
        )
        return lost[1].removeprefix(f"{checkout}/") if lost else said
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", said, re.MULTILINE)
    return failed[1] if failed else f"exit {done.returncode}: {said[-300:]}"


def killed(checkout: Path, mutant: Mutant, tests: list[str]) -> str | None:
    """The first test that fails with a mutant and passes without; None where there is none."""
    single = [test for test in tests if "::" in test]
    return _killed(checkout, mutant, tests, "not slow and not nightly") or _killed(
        checkout, mutant, single, "slow and not nightly", SLOW_S
    )


def _killed(checkout: Path, mutant: Mutant, tests: list[str], marks: str, seconds: float | None = None) -> str | None:
    original = checkout / PACKAGE.relative_to(ROOT) / mutant.module
    kept = original.read_text()
    while tests:
        try:
            original.write_text(mutant.text())
            found = failing(checkout, tests, marks, seconds)
        finally:
            original.write_text(kept)
        if found is None or "::" not in found or failing(checkout, [found], marks) is None:
            return found
        # It fails in any copy.
        others = [one for one in tests if one != found and not found.startswith(f"{one}::")]
        if len(others) == len(tests):
            return found
        tests = others
    return None


def main() -> None:
    """Draw, run, and print the outcomes with a table by room."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True, help="of the draw")
    parser.add_argument("--number", type=int, default=100, help="of mutants (default: 100)")
    parser.add_argument("--room", action="append", help="a folder of the package; may be given again (default: all)")
    parser.add_argument("--cores", type=int, default=2, help="mutants tested at a time (default: 2)")
    parser.add_argument(
        "--data", default="results/coverage/data", help="what make coverage found (default: %(default)s)"
    )
    arguments = parser.parse_args()
    run = CoverageData(arguments.data)
    run.read()
    rooms = arguments.room or sorted(one.name for one in PACKAGE.iterdir() if one.is_dir() and one.name[0] != "_")
    chosen = drawn(arguments.seed, arguments.number, rooms)
    survived: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="quantrift-mutants-") as folder:
        copies: Queue[Path] = Queue()
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for number in range(arguments.cores):
            copy = Path(folder) / str(number)
            for file in filter(None, files.split("\0")):
                (copy / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, copy / file)
            copies.put(copy)

        def tested(mutant: Mutant) -> tuple[Mutant, str | None]:
            copy = copies.get()
            try:
                return mutant, killed(copy, mutant, tests_of(mutant, run))
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(arguments.cores) as pool:
            for place, (mutant, by) in enumerate(pool.map(tested, chosen), 1):
                print(f"{place}/{len(chosen)} {mutant.module}, change {mutant.number}: {by or 'SURVIVED'}", flush=True)
                if by is None:
                    survived.append(mutant)
                    print(mutant.shown(), flush=True)
    print(f"\n{'room':<14}{'mutants':>8}{'killed':>8}")
    for room in rooms:
        of_room = [mutant for mutant in chosen if mutant.room == room]
        alive = sum(mutant.room == room for mutant in survived)
        print(f"{room:<14}{len(of_room):>8}{len(of_room) - alive:>8}")
    print(f"{'all':<14}{len(chosen):>8}{len(chosen) - len(survived):>8}")


if __name__ == "__main__":
    main()
