"""Remove the lock that a killed run left in this folder, and only then.

Snakemake locks a folder while it works there. When it is killed, its lock remains, and the next run refuses to start.
This command removes the lock if the run that made it is gone; `make` does so before each run. A run on another machine,
or from before a restart, cannot be seen from here: --force removes its lock, but never that of a run seen alive.
"""

import argparse
import fcntl
import os
import shutil
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, write_json

EXAMPLES = """examples:
  quantrift unlock && snakemake --cores 2
  quantrift unlock --force          once you know that the run is gone
"""
LOCKS = Path(".snakemake/locks")
OWNER = Path(".snakemake/quantrift-run.json")
"""File that names the process working in the folder; written when a run starts."""
HELD = Path(".snakemake/quantrift-run.lock")
"""File locked by the running Snakemake. The system unlocks it when the process ends; seen from other containers too."""
BOOT = Path("/proc/sys/kernel/random/boot_id")
"""File that identifies the boot of a machine; Linux alone has it."""
RUN = "QUANTRIFT_RUN"
"""Environment variable that tells a job the process number and start time of its Snakemake."""
PATIENCE = 1.0
"""Seconds for which a run tries to get its lock, as others hold it for a moment when they test it."""
UNSEEN = "locked this folder, and whether it still works cannot be seen from here"
"""Text on a run that cannot be seen from here."""


@dataclass(frozen=True)
class Noted:
    """Note of a run about itself."""

    host: str
    process: int
    started: float
    """Seconds since 1970."""
    locked: bool = False
    """Whether it holds ``HELD``; not every file system can lock, and earlier versions of this package did not."""
    boot: str | None = None


@dataclass(frozen=True)
class Owner:
    """The run that works in a folder, or may work there."""

    process: str
    """Its number, and its host where that is another."""
    alive: bool
    """False where this cannot be seen from here."""

    @property
    def says(self) -> str:
        """Text on the run."""
        return f"process {self.process} {'is working in this folder' if self.alive else UNSEEN}"

    @property
    def todo(self) -> str:
        """Remedy."""
        return "wait for it, or stop it" if self.alive else "if it is gone: quantrift unlock --force"


OPTIONS = {"--force": {"action": "store_true", "help": "remove the lock of a run that cannot be seen from here"}}


def run(given: argparse.Namespace) -> int:
    """0, with the folder unlocked; raises when a run is alive, or may be and nothing is forced."""
    if not locked():
        return 0
    if (found := owner()) and (found.alive or not given.force):
        raise QuantriftError(f"{found.says}; {found.todo}")
    shutil.rmtree(LOCKS)
    print("removed the lock of a run that was killed; unfinished files are made again")
    return 0


def locked() -> bool:
    """Whether Snakemake's lock is in this folder, of whatever run."""
    return LOCKS.is_dir() and any(LOCKS.iterdir())


def record() -> None:
    """Note that this process works in this folder, and hold the lock that says so until it ends.

    Where another process holds it, the note stays that one's: Snakemake was told to do without locks.
    """
    if (held := _hold()) is not False:
        process = psutil.Process()
        noted = Noted(socket.gethostname(), process.pid, process.create_time(), held is True, _boot())
        write_json(OWNER, asdict(noted))


def announce() -> None:
    """Pass this process's identity to the jobs that it starts."""
    process = psutil.Process()
    os.environ[RUN] = f"{process.pid} {process.create_time()}"


def announced() -> psutil.Process | None:
    """The Snakemake whose job this process is; None when it is gone."""
    process, started = os.environ[RUN].split()
    return _living(int(process), float(started))


def owner() -> Owner | None:
    """The run that works in this folder, or may; None where there is none."""
    held, noted, boot = _held(), _noted(), _boot()
    of_this_host = noted is not None and noted.host == socket.gethostname()
    if held or (noted and of_this_host and _living(noted.process, noted.started)):
        return Owner(_name(noted, with_host=not of_this_host), alive=True)
    # A run killed between its lock and its note leaves no trace of itself; a living one is found by its folder.
    if process := _working_here():
        return Owner(str(process), alive=True)
    if not locked() or not OWNER.exists():
        return None
    # By host name where starts of machines have no names.
    of_this_start = noted is not None and (noted.boot == boot if boot else of_this_host)
    gone = noted is not None and noted.locked and held is False and of_this_start
    return None if gone else Owner(_name(noted, with_host=True), alive=False)


def _name(noted: Noted | None, *, with_host: bool) -> str:
    """A run's process as text."""
    if noted is None:
        return "of unknown number"
    return f"{noted.process} of {noted.host}" if with_host else str(noted.process)


def _living(number: int, started: float) -> psutil.Process | None:
    """The process of a number that was started then, unless it is gone: numbers are used again."""
    try:
        process = psutil.Process(number)
        same = abs(process.create_time() - started) < 1 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return None
    return process if same else None


def _working_here() -> int | None:
    """Number of a Snakemake that works in this folder, of those that are seen from here."""
    here = [one for one in psutil.process_iter(["cmdline", "cwd"]) if one.info["cwd"] == str(Path.cwd())]
    words = {int(one.pid): (one.info["cmdline"] or [])[:4] for one in here}
    return next((number for number, own in words.items() if "snakemake" in {Path(word).name for word in own}), None)


def _noted() -> Noted | None:
    """Note of the last run; None where it wrote none, or the file is damaged."""
    try:
        found = read_json(OWNER)
        return Noted(str(found.pop("host")), int(found.pop("process")), float(found.pop("started")), **found)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _hold() -> bool | None:
    """Lock ``HELD`` for as long as this process lives; False where another holds it, None where it cannot be locked."""
    HELD.parent.mkdir(parents=True, exist_ok=True)
    # Its descriptor is never closed, and not inherited by jobs: the lock goes with this process, whatever ends it.
    try:
        file = os.open(HELD, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None
    until = time.monotonic() + PATIENCE
    while (got := _lock(file, fcntl.LOCK_EX)) is False and time.monotonic() < until:
        time.sleep(PATIENCE / 20)
    if not got:
        os.close(file)
    return got


def _held() -> bool | None:
    """Whether a process holds ``HELD``; None where that cannot be told."""
    try:
        with HELD.open() as file:
            got = _lock(file.fileno(), fcntl.LOCK_SH)
    except OSError:
        return None
    return None if got is None else not got


def _lock(file: int, how: int) -> bool | None:
    """Whether an open file could be locked at once; None where the file system cannot lock."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _boot() -> str | None:
    """Identifier of this boot of this machine; None where the system has none."""
    return BOOT.read_text(encoding="ascii").strip() if BOOT.exists() else None
