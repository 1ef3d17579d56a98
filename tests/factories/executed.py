"""Modules of the package that a process executes: those of which a function runs, once all imports are done.

A hook of Python's profiler notes them in each process that starts below, by the rule of its job.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


def noting(folder: Path, package: Path) -> dict[str, str]:
    """Environment of processes whose functions of a package are noted below a folder; ``PYTHONPATH`` has the hook."""
    for name in ("hook", "told"):
        (folder / name).mkdir(parents=True)
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    return {"PYTHONPATH": str(folder / "hook"), FOLDER: str(folder / "told"), OF_PACKAGE: str(package)}


def told(folder: Path) -> Iterator[dict[str, Any]]:
    """Each note that a process of the workflow left in ``folder``."""
    yield from (json.loads(file.read_text()) for file in (folder / "told").iterdir())
