"""Snakemake without its start: a process that has imported it forks a child for each run.

Most of a dry run is the import of Snakemake and of what the rules import. A child begins where these imports end, and
nothing of it reaches the next one. For runs of another checkout, whose code is edited, only libraries are imported.
"""

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from tests.factories.forked import ends_after
from tests.factories.places import ROOT


@cache
def _server(kind: str) -> subprocess.Popen[str]:
    """A server of this process, which ends when its standard input does."""
    command = [sys.executable, "-m", "tests.factories.snakemake_server", kind]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def run(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``snakemake`` with these arguments; returns its exit code and output.

    Args:
        arguments: of the command line.
        environment: all variables.
        folder: the checkout that is run, as the working directory; this one, in the present directory, where it is
            not given.
    """
    server = _server("libraries" if folder else "checkout")
    assert server.stdin is not None
    with tempfile.TemporaryDirectory() as place:
        said = {name: Path(place) / name for name in ("stdout", "stderr")}
        asked = {"arguments": [*arguments], "environment": {**environment}, "folder": str(folder or Path.cwd())}
        server.stdin.write(json.dumps(asked | {name: str(file) for name, file in said.items()}) + "\n")
        server.stdin.flush()
        try:
            answer = _answer(server)
        except BaseException:
            # A run that hangs, or a server that is gone, is not for the next test to meet.
            _server.cache_clear()
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            raise
        texts = {name: file.read_text(encoding="utf-8") for name, file in said.items()}
    return subprocess.CompletedProcess(["snakemake", *arguments], int(answer), **texts)


def _answer(server: subprocess.Popen[str]) -> str:
    """The exit code that a server tells; what it started may outlive it and keep its output open."""
    assert server.stdout is not None
    while not select.select([server.stdout], [], [], 1)[0]:
        assert server.poll() is None, f"the server of Snakemake ended with {server.returncode}"
    answer = server.stdout.readline()
    assert answer, f"the server of Snakemake ended with {server.wait()}"
    return answer


def _import_libraries() -> None:
    for name in ("nbformat", "numpy", "pandas", "pydantic", "snakemake.cli", "snakemake.workflow"):
        import_module(name)


def _import_checkout() -> None:
    """Import what the rules import, and read the code that jobs have digests of."""
    stated = "\n".join(file.read_text() for file in [ROOT / "Snakefile", *(ROOT / "workflow" / "rules").glob("*.smk")])
    for module, names in re.findall(r"^from (quantrift[\w.]*) import ([\w, ]+)$", stated, re.MULTILINE):
        import_module(module)
        for name in names.split(", "):
            if getattr(sys.modules[module], "__path__", None) and find_spec(f"{module}.{name}"):
                import_module(f"{module}.{name}")
    from quantrift.core.base import code_digests

    for script in (ROOT / "workflow" / "scripts").glob("*.py"):
        code_digests.digest(script)


def _snakemake(asked: Mapping[str, object]) -> None:
    """Become a run of Snakemake."""
    from snakemake.cli import main

    for number, name in enumerate(("stdout", "stderr"), 1):
        file = os.open(str(asked[name]), os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(asked["environment"])  # type: ignore[call-overload]
    os.chdir(str(asked["folder"]))
    # In place of the server's folder, as Python starts: the working directory, and what PYTHONPATH names.
    named = [name for name in os.environ.get("PYTHONPATH", "").split(os.pathsep) if name]
    sys.path[:1] = [os.getcwd(), *(name for name in named if name not in sys.path)]
    sys.argv = ["snakemake", *asked["arguments"]]  # type: ignore[misc]
    main()


def _serve(requests: IO[str], answers: IO[str]) -> None:
    for line in requests:
        child = os.fork()
        if not child:
            ends_after(partial(_snakemake, json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


if __name__ == "__main__":
    _import_libraries()
    if sys.argv[1] == "checkout":
        _import_checkout()
    _serve(sys.stdin, sys.stdout)
