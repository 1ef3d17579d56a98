"""Checks of the machine: cores, memory, instruction sets, confinement; disk space, writable folders, locks."""

import os
import platform
import shutil
import tempfile
from pathlib import Path
from typing import Any

import psutil
from snakemake.common import get_appdirs

from quantrift.cli import unlock
from quantrift.cli.health.environment import Finding, judged
from quantrift.core.networks.foreign import confinement as landlock
from quantrift.core.networks.foreign import system_calls
from quantrift.core.page.provenance import processor

DEMO_CORES = 2
"""Cores that the times in the README were measured with."""
DEMO_MEMORY = 1.5
"""GB that the demo needs on two cores: its peak of 1.2, while two networks are compressed, and a margin."""
ROOM = 6.0
"""GB that the README asks for: environment, results and their temporary copies."""
LEAST = 0.2
"""GB that the demo's results need at least."""
CGROUP = Path("/sys/fs/cgroup/memory.max")
"""Files with a container's limit of memory, in bytes or as the word ``max``."""


def check() -> list[Finding]:
    """The machine this runs on."""
    memory = psutil.virtual_memory()
    return [
        cores(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1),
        room(min(memory.total, limit(CGROUP)) / 1e9, min(memory.available, limit(CGROUP)) / 1e9),
        instruction_sets(processor(Path("/proc/cpuinfo")), platform.machine()),
        confinement(landlock.version(), system_calls.offered()),
    ]


def cores(count: int) -> Finding:
    """Whether ``count`` cores are enough."""
    few = f"expect twice the README's times, which are of {DEMO_CORES}"
    return judged("cores", f"{count}; --cores {count} uses them all", (count < DEMO_CORES, "warning", f"{count}", few))


def room(total: float, available: float) -> Finding:
    """Whether memory is enough; ``total`` and ``available`` in GB."""
    says = f"{total:.1f} GB, {available:.1f} GB free; the demo needs {DEMO_MEMORY:.1f} GB on {DEMO_CORES} cores"
    return judged(
        "memory",
        says,
        (total < DEMO_MEMORY, "problem", says, "run with --cores 1, which takes about half, or on a larger machine"),
        (available < DEMO_MEMORY, "warning", says, "end other programs, or run with --cores 1"),
    )


def limit(cgroup: Path) -> float:
    """Bytes that the container allows, infinity without a limit."""
    try:
        return float(cgroup.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return float("inf")


def confinement(version: int, filtered: bool) -> Finding:
    """Whether the kernel can confine the process that reads foreign files.

    Args:
        version: of Landlock, 0 for none.
        filtered: whether the kernel can refuse system calls.
    """
    missing = {
        "no Landlock: a process that reads a network may write to your files and start programs": not version,
        "no filter of system calls: it may open connections, signal other processes, and change modes, owners and "
        "times of files": not filtered,
    }
    lacking = "; ".join(what for what, lacks in missing.items() if lacks)
    return judged(
        "confinement",
        f"Landlock, version {version}, and a filter of system calls",
        (bool(lacking), "warning", f"{lacking} (SECURITY.md)", "read networks of unknown origin in a container"),
    )


def instruction_sets(found: dict[str, Any], machine: str) -> Finding:
    """Whether the processor has what tensorflow needs and LiteRT is fast with.

    ``found`` is what ``quantrift.core.page.provenance.processor`` gives, ``machine`` the architecture's name.
    """
    sets: list[str] = found["instruction_sets"]
    says = f"{found['model']} ({machine}): {' '.join(sets) or 'instruction sets unknown'}"
    known = bool(sets) and machine in ("x86_64", "AMD64")
    slow = known and not {"avx2", "fma"} <= {*sets}
    return judged(
        "processor",
        says,
        (known and "avx" not in sets, "problem", says, "tensorflow needs avx; run on another machine"),
        (slow, "warning", says, "without avx2 and fma expect slow searches and trainings"),
    )


def storage(results: Path) -> list[Finding]:
    """The folder ``results``, which need not exist yet, and the folder a run would start in: this one."""
    cache = Path(get_appdirs().user_cache_dir)
    return [
        disk(shutil.disk_usage(existing(results)).free / 1e9),
        writable("results", results, results, "change its permissions, or move it away"),
        # Without it Snakemake ends at once.
        writable(
            "cache",
            cache,
            cache / "snakemake/source-cache/snakemake-runtime-cache",
            "set XDG_CACHE_HOME, or HOME, to a folder that can be written",
        ),
        temporary(os.environ.get("TMPDIR")),
        lock(),
    ]


def disk(free: float) -> Finding:
    """Whether ``free`` GB are enough."""
    return judged(
        "disk",
        f"{free:.0f} GB free",
        (free < LEAST, "problem", f"{free:.2f} GB free; the demo needs {LEAST} GB", "make room"),
        (free < ROOM, "warning", f"{free:.1f} GB free", f"make room: {ROOM:.0f} GB are advised"),
    )


def writable(check: str, named: Path, folder: Path, todo: str) -> Finding:
    """Whether files can be written to ``folder``, or it can be made, by a trial with a temporary file."""
    place = existing(folder)
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"quantrift")
    except OSError as error:
        return Finding(check, "problem", f"{place}: {error.strerror}", todo)
    return Finding(check, "ok", f"{named} can be written")


def temporary(named: str | None) -> Finding:
    """Whether there is a folder for temporary files: the one ``named`` by TMPDIR, or else the system's."""
    todo = "set TMPDIR to a folder that can be written"
    try:
        used = Path(tempfile.gettempdir())
    except OSError as error:
        return Finding("tmp", "problem", error.strerror or str(error), todo)
    other = bool(named) and str(used) != os.path.abspath(str(named))
    says = f"TMPDIR={named} cannot be written; {used} is used"
    return judged("tmp", f"{used} can be written", (other, "warning", says, todo))


def lock() -> Finding:
    """Whether a run is using this folder, or a killed one left its lock."""
    found = unlock.owner() if unlock.locked() else None
    return judged(
        "lock",
        "none",
        (found is not None, "problem", found.says if found else "", found.todo if found else ""),
        (unlock.locked(), "problem", "left by a run that was killed", "quantrift unlock (make does it by itself)"),
    )


def existing(folder: Path) -> Path:
    """The folder, or its nearest existing parent, as far as this user may see."""
    return next(path for path in [folder, *folder.absolute().parents] if os.path.exists(path))
