"""Edits drawn from all functions and configuration values: what they make stale, by dry runs and by real ones.

A profiler notes the functions that each job of a small run executes. An edit has to plan all jobs that execute the
edited function (otherwise they are stale); what it plans beside is needless. ``pytest -s`` prints the table.
"""

import ast
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests import same
from tests.e2e import edited_checkout
from tests.e2e.edited_checkout import PACKAGE
from tests.factories import executed

pytestmark = pytest.mark.nightly

SEED, EDITS, RUNS = 47, 30, 5


def snakemake(checkout: Path, *arguments: str, **noted: str) -> str:
    own = edited_checkout.environment(checkout)
    path = [*filter(None, [noted.get("PYTHONPATH")]), own["PYTHONPATH"], str(checkout / "workflow/lib")]
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
        cwd=checkout,
        env=own | noted | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode == 0 else f"REFUSED {done.stdout}{done.stderr}"


def functions(checkout: Path) -> Iterator[tuple[str, str, str]]:
    """(file, function, line of its first statement after the docstring) of all functions with such a statement."""
    for file in sorted((checkout / PACKAGE).rglob("*.py")):
        for function, line in within(ast.parse(file.read_text())):
            yield str(file.relative_to(checkout / PACKAGE)), function, str(line)


def within(node: ast.AST, before: str = "") -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            if body := child.body[ast.get_docstring(child) is not None :]:
                lines = [body[0].lineno, *(one.lineno for one in getattr(body[0], "decorator_list", []))]
                yield f"{before}{child.name}", min(lines)
            yield from within(child, f"{before}{child.name}.<locals>.")
        else:
            yield from within(child, f"{before}{child.name}." if isinstance(child, ast.ClassDef) else before)


def values(checkout: Path) -> Iterator[tuple[str, str, str]]:
    """(file, line, text of it with another number or truth) of configuration values."""
    for file in sorted((checkout / "config").glob("*.yaml")):
        for number, line in enumerate(file.read_text().splitlines()):
            found = re.search(r"(?<=: )(\d+(?:\.\d+)?|true|false)(?=[,}\]]|$)", line)
            if found and not line.lstrip().startswith("#"):
                old = found[1]
                new = {"true": "false", "false": "true"}.get(old) or str(yaml.safe_load(old) * 2)
                yield f"config/{file.name}", str(number), line[: found.start()] + new + line[found.end() :]


def changed(checkout: Path, drawn: tuple[str, str, str]) -> tuple[str, str, str]:
    """The change of a drawn function or value, as ``edited_checkout.edited`` takes it."""
    file, place, more = drawn
    path = file if file.startswith("config/") else PACKAGE + file
    text = (checkout / path).read_text()
    lines = text.splitlines(keepends=True)
    if path.startswith("config/"):
        lines[int(place)] = f"{more}\n"
    else:
        first = lines[int(more) - 1]
        indent = first[: len(first) - len(first.lstrip())]
        lines.insert(int(more) - 1, f"{indent}edited = 0\n")
    return path, text, "".join(lines)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which everything was made, with the functions of each job in ``told``."""
    folder = tmp_path_factory.mktemp("drawn") / "checkout"
    folder.mkdir()
    edited_checkout.copy(folder)
    said = snakemake(folder, **executed.noting(folder, folder / PACKAGE))
    assert not said.startswith("REFUSED"), said
    return folder


def test_edits_leave_nothing_stale(checkout: Path) -> None:
    jobs = [
        (one["log"], {(file, name) for file, name, _ in one["functions"]})
        for one in executed.told(checkout)
        if one["log"]
    ]
    pool = [*functions(checkout), *values(checkout)]
    drawn = random.Random(SEED).sample(pool, EDITS)
    rows, stale = [], {}
    for one in drawn:
        with edited_checkout.edited(checkout, [changed(checkout, one)]):
            said = snakemake(checkout, "-n")
        planned = dict(re.findall(r"^    log: (\S+)\n(?:    (?!reason).*\n)*    reason: (.*)$", said, re.MULTILINE))
        needing = {log for log, functions in jobs if one[:2] in functions}
        first = {log for log, reason in planned.items() if "Params have changed" in reason or "Code has" in reason}
        name = f"{one[0]}: {one[1] if one[0].endswith('.py') else one[2].strip()[:60]}"
        stale[name] = sorted(needing - set(planned))
        # Jobs that run a value are not known.
        needless = len(first - needing) if one[0].endswith(".py") else "-"
        refused = "refused" if said.startswith("REFUSED") else len(planned)
        rows.append(f"| {name} | {len(needing)} | {refused} | {len(stale[name])} | {needless} |")
    print(f"\n{len(pool)} functions and values\n| edit | run it | planned | stale | needless |\n|---|---|---|---|---|")
    print("\n".join(rows))
    assert {name: logs for name, logs in stale.items() if logs} == {}


def test_a_run_after_an_edit_is_a_fresh_run(checkout: Path, tmp_path: Path) -> None:
    """Of values, as an edited statement of a function that does nothing changes no result."""
    pool, rng = [*values(checkout)], random.Random(SEED)
    rows: list[str] = []
    results = checkout / "results" / "small"
    shutil.copytree(checkout, tmp_path / "kept", symlinks=True)
    while len(rows) < RUNS:
        one = rng.choice(pool)
        with edited_checkout.edited(checkout, [changed(checkout, one)]):
            said = snakemake(checkout, "-n")
            count = said.count("    reason: ")
            if said.startswith("REFUSED") or not count:
                continue
            assert not (told := snakemake(checkout)).startswith("REFUSED"), told
            again = tmp_path / f"again{len(rows)}"
            results.rename(again)
            assert not (told := snakemake(checkout)).startswith("REFUSED"), told
            rows.append(f"| {one[0]}: {one[2].strip()[:70]} | {count} |")
            print(rows[-1])
            differences = same.differences(again, results)
            # A file that only the settings before the edit asked for is left where it was.
            assert [one for one in differences if not (again / one.removesuffix(": is gone")).is_file()] == []
        shutil.rmtree(checkout)
        shutil.copytree(tmp_path / "kept", checkout, symlinks=True)
