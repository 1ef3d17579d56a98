"""Modules of the package that a process executes: those of which a function runs, once all imports are done.

A hook of Python's profiler notes them in each process that starts below, by the rule of its job.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.factories.places import PACKAGE, ROOT

from quantrift.judge.intake.example import paths

FOLDER, OF_PACKAGE = "QUANTRIFT_EXECUTED", "QUANTRIFT_PACKAGE"
HOOK = f"""
import atexit, json, os, sys, threading

seen, package = {{}}, os.environ.get("{OF_PACKAGE}", "") + "/"


def note(frame, event, argument):
    code = frame.f_code
    key = code.co_filename, code.co_qualname
    if event == "call" and not seen.get(key) and code.co_filename.startswith(package):
        above = frame
        while above is not None and "importlib._bootstrap>" not in above.f_code.co_filename:
            above = above.f_back
        seen[key] = above is None


def tell():
    sys.setprofile(None)
    job = getattr(sys.modules.get("__main__"), "snakemake", None)
    functions = [[file[len(package) :], name, is_executed] for (file, name), is_executed in seen.items()]
    told = {{"of": job.rule if job else "", "log": job.log[0] if job else "", "functions": functions}}
    with open(os.path.join(os.environ["{FOLDER}"], f"{{os.getpid()}}.json"), "w") as file:
        json.dump(told, file)


if "{FOLDER}" in os.environ:
    sys.setprofile(note)
    threading.setprofile(note)
    atexit.register(tell)
"""
"""``sitecustomize``, which every Python imports that finds it: it tells rule, log and functions of the package, each
with whether it ran once all imports were done."""
SMALL = "protocols={rq1: {run_seeds: 2, inputs: 2, generations: 2}}", "all=[diverget_table4, report]"
"""Settings of a short run of the demo."""
CANDIDATE = "search", "metrics", "table"
"""Jobs that a candidate passes on its way into a table."""


def executed() -> dict[str, set[str]]:
    """Files of the package that are executed, by name: ``search`` of DiverGet, jobs of a ``candidate``, ``plan`` of the
    demo, ``assess`` on two files.
    """
    with tempfile.TemporaryDirectory() as place:
        found = _run(["-m", "snakemake", "--cores", "2", "--config", *SMALL], Path(place) / "run")
        plan = _run(["-m", "snakemake", "-n"], Path(place) / "plan")
        known = paths()
        given = "--original", known.original, "--compressed", known.int8, "--inputs", known.inputs, "--out", "out"
        assessed = _run(["-m", "quantrift.cli.main", "assess", *map(str, given)], Path(place) / "assess")
    jobs = {rule if rule in CANDIDATE else rule.partition("_")[0]: files for rule, files in found.items()}
    return {
        "search": jobs["search"],
        "candidate": set[str]().union(*(jobs[name] for name in CANDIDATE)),
        "plan": set[str]().union(*plan.values()),
        "assess": set[str]().union(*assessed.values()),
    }


def _run(command: list[str], folder: Path) -> dict[str, set[str]]:
    """Rule, or nothing for what is no job -> files of the package that were executed."""
    noted = noting(folder, PACKAGE)
    if command[1] == "snakemake":
        command = [*command, "--snakefile", str(ROOT / "Snakefile")]
    path = os.pathsep.join([noted["PYTHONPATH"], *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | noted | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(f"executed: {' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    found: dict[str, set[str]] = defaultdict(set)
    for one in told(folder):
        found[one["of"]] |= {file for file, _, is_executed in one["functions"] if is_executed}
    return found


def noting(folder: Path, package: Path) -> dict[str, str]:
    """Environment of processes whose functions of a package are noted below a folder; ``PYTHONPATH`` has the hook."""
    for name in ("hook", "told"):
        (folder / name).mkdir(parents=True)
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    return {"PYTHONPATH": str(folder / "hook"), FOLDER: str(folder / "told"), OF_PACKAGE: str(package)}


def told(folder: Path) -> Iterator[dict[str, Any]]:
    """What the processes noted."""
    yield from (json.loads(file.read_text()) for file in (folder / "told").iterdir())
