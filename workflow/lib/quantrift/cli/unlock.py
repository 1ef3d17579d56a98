"""Remove the lock that a killed run left in this folder, and only then.

Snakemake locks a folder while it works there. Killed, it leaves its lock, and the next run refuses to start. A lock is
removed when the process that made it is gone; `make` does this before each run.
"""

import argparse
import os
import shutil
import socket
from pathlib import Path

import psutil

from quantrift.config.errors import QuantriftError
from quantrift.config.files import read_json, write_json

EXAMPLES = """example:
  quantrift unlock && snakemake --cores 2
"""
LOCKS = Path(".snakemake/locks")
OWNER = Path(".snakemake/quantrift-run.json")
"""Which process works in the folder; written when a run starts."""
RUN = "QUANTRIFT_RUN"
"""Environment variable that tells a job the process number and start time of its Snakemake."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command takes nothing."""


def run(given: argparse.Namespace) -> int:
    """0, with the folder unlocked; raises when a run is alive."""
    if not LOCKS.is_dir() or not any(LOCKS.iterdir()):
        return 0
    if alive := owner():
        raise QuantriftError(f"process {alive} is working in this folder; wait for it, or stop it")
    shutil.rmtree(LOCKS)
    print("removed the lock of a run that was killed; unfinished files are made again")
    return 0


def record() -> None:
    """Note that this process works in this folder."""
    process = psutil.Process()
    write_json(OWNER, {"host": _host(), "process": process.pid, "started": process.create_time()})


def announce() -> None:
    """Tell the jobs this process starts whose they are."""
    process = psutil.Process()
    os.environ[RUN] = f"{process.pid} {process.create_time()}"


def announced() -> psutil.Process | None:
    """The Snakemake whose job this process is; None when it is gone."""
    process, started = os.environ[RUN].split()
    return _living(int(process), float(started))


def _living(number: int, started: float) -> psutil.Process | None:
    """The process of a number that was started then, unless it is gone: numbers are used again."""
    try:
        process = psutil.Process(number)
        same = abs(process.create_time() - started) < 1 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return None
    return process if same else None


def owner() -> str | None:
    """The living process that works in this folder, as text; None where there is none."""
    if OWNER.is_file():
        noted = read_json(OWNER)
        if noted["host"] != _host():
            return f"{noted['process']} of {noted['host']}"
        if process := _living(noted["process"], noted["started"]):
            return str(process.pid)
    # A run killed between taking its lock and noting itself is found by nobody, a living one by its folder.
    here = str(Path.cwd())
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = process.info["cmdline"] or []
        if process.info["cwd"] == here and any(Path(word).name == "snakemake" for word in words[:4]):
            return str(process.pid)
    return None


def _host() -> str:
    return socket.gethostname()
