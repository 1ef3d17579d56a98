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

    @property
    def of_this_host(self) -> bool:
        """Whether it ran under this host name."""
        return self.host == _host()

    @property
    def of_this_start(self) -> bool:
        """Whether it ran on this machine since that was last started; by host name where starts have no names."""
        boot = _boot()
        return self.boot == boot if boot else self.of_this_host


@dataclass(frozen=True)
class Owner:
    """The run that works in a folder, or may work there."""

    process: str
    """Its number, and its host where that is another."""
    alive: bool
    """False where this cannot be seen from here."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--force", action="store_true", help="remove the lock of a run that cannot be seen from here")


def run(given: argparse.Namespace) -> int:
    """0, with the folder unlocked; raises when a run is alive, or may be and nothing is forced."""
    if not locked():
        return 0
    found = owner()
    if found and found.alive:
        raise QuantriftError(f"process {found.process} is working in this folder; wait for it, or stop it")
    if found and not given.force:
        raise QuantriftError(f"process {found.process} {UNSEEN}; if it is gone: quantrift unlock --force")
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
    try:
        held = _hold()
    except BlockingIOError:
        return
    process = psutil.Process()
    write_json(OWNER, asdict(Noted(_host(), process.pid, process.create_time(), held, _boot())))


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
    held, noted = _held(), _noted()
    if held or (noted and noted.of_this_host and _living(noted.process, noted.started)):
        return Owner(_name(noted), alive=True)
    # A run killed between its lock and its note leaves no trace of itself; a living one is found by its folder.
    if process := _working_here():
        return Owner(str(process), alive=True)
    if not locked() or not OWNER.exists():
        return None
    if noted and noted.locked and held is False and noted.of_this_start:
        return None
    return Owner(_name(noted, with_host=True), alive=False)


def _name(noted: Noted | None, *, with_host: bool = False) -> str:
    """A run's process as text; its host is named where it is another, or when asked for."""
    if noted is None:
        return "of unknown number"
    return str(noted.process) if noted.of_this_host and not with_host else f"{noted.process} of {noted.host}"


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
    here = str(Path.cwd())
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = process.info["cmdline"] or []
        if process.info["cwd"] == here and any(Path(word).name == "snakemake" for word in words[:4]):
            return int(process.pid)
    return None


def _noted() -> Noted | None:
    """Note of the last run; None where it wrote none, or the file is damaged."""
    try:
        found = read_json(OWNER)
        return Noted(str(found.pop("host")), int(found.pop("process")), float(found.pop("started")), **found)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _hold() -> bool:
    """Lock ``HELD`` for as long as this process lives; whether the file system can.

    Raises:
        BlockingIOError: another process holds it.
    """
    HELD.parent.mkdir(parents=True, exist_ok=True)
    # Its descriptor is never closed, and not inherited by jobs: the lock goes with this process, whatever ends it.
    try:
        file = os.open(HELD, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return False
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(file)
                raise
            time.sleep(PATIENCE / 20)
        except OSError:
            os.close(file)
            return False
        else:
            return True


def _held() -> bool | None:
    """Whether a process holds ``HELD``; None where that cannot be told."""
    try:
        file = os.open(HELD, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(file)
    return False


def _boot() -> str | None:
    """Identifier of this boot of this machine; None where the system has none."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return None


def _host() -> str:
    return socket.gethostname()
