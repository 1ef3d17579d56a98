"""Checks of storage: free disk space, writable folders, locks."""

import os
import shutil
import tempfile
from pathlib import Path

from snakemake.common import get_appdirs

from quantrift.cli import unlock
from quantrift.cli.health.finding import Finding

ROOM = 6.0
"""GB that the README asks for: environment, results and their temporary copies."""
LEAST = 0.2
"""GB that the demo's results need at least."""
SOURCES = Path("snakemake", "source-cache", "snakemake-runtime-cache")
"""Where Snakemake writes below its cache folder when it starts."""


def check(results: Path) -> list[Finding]:
    """The folder ``results``, which need not exist yet, and the folder a run would start in: this one."""
    return [
        disk(shutil.disk_usage(existing(results)).free / 1e9),
        writable(results),
        cache(Path(get_appdirs().user_cache_dir)),
        temporary(os.environ.get("TMPDIR")),
        lock(),
    ]


def disk(free: float) -> Finding:
    """Whether ``free`` GB are enough."""
    if free < LEAST:
        return Finding("disk", "problem", f"{free:.2f} GB free; the demo needs {LEAST} GB", "make room")
    if free < ROOM:
        return Finding("disk", "warning", f"{free:.1f} GB free", f"make room: {ROOM:.0f} GB are advised")
    return Finding("disk", "ok", f"{free:.0f} GB free")


def writable(folder: Path) -> Finding:
    """Whether files can be written to ``folder``, or it can be made."""
    if error := refused(folder):
        return Finding("results", "problem", error, "change its permissions, or move it away")
    return Finding("results", "ok", f"{folder} can be written")


def cache(folder: Path) -> Finding:
    """Whether Snakemake can make its cache below ``folder``, without which it ends at once."""
    if error := refused(folder / SOURCES):
        return Finding("cache", "problem", error, "set XDG_CACHE_HOME, or HOME, to a folder that can be written")
    return Finding("cache", "ok", f"{folder} can be written")


def temporary(named: str | None) -> Finding:
    """Whether there is a folder for temporary files: the one ``named`` by TMPDIR, or else the system's."""
    todo = "set TMPDIR to a folder that can be written"
    try:
        used = Path(tempfile.gettempdir())
    except OSError as error:
        return Finding("tmp", "problem", error.strerror or str(error), todo)
    if named and str(used) != os.path.abspath(named):
        return Finding("tmp", "warning", f"TMPDIR={named} cannot be written; {used} is used", todo)
    return Finding("tmp", "ok", f"{used} can be written")


def refused(folder: Path) -> str | None:
    """Reason why ``folder`` cannot be written to or made, by a trial with a temporary file; empty if it can."""
    place = existing(folder)
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"quantrift")
    except OSError as error:
        return f"{place}: {error.strerror}"
    return None


def lock() -> Finding:
    """Whether a run is using this folder, or a killed one left its lock."""
    if not unlock.locked():
        return Finding("lock", "ok", "none")
    found = unlock.owner()
    if found is None:
        return Finding("lock", "problem", "left by a run that was killed", "quantrift unlock (make does it by itself)")
    if found.alive:
        says = f"process {found.process} is working in this folder"
        return Finding("lock", "problem", says, "wait for it, or stop it")
    says = f"process {found.process} {unlock.UNSEEN}"
    return Finding("lock", "problem", says, "if it is gone: quantrift unlock --force")


def existing(folder: Path) -> Path:
    """The folder, or its nearest existing parent, as far as this user may see."""
    return next(path for path in [folder, *folder.absolute().parents] if os.path.exists(path))
