"""Checks of the machine: cores, memory, instruction sets, confinement."""

import os
import platform
from pathlib import Path
from typing import Any

import psutil

from quantrift.cli.health.finding import Finding
from quantrift.core.networks.foreign import confinement as landlock
from quantrift.core.networks.foreign import system_calls
from quantrift.core.page.provenance import processor

DEMO_CORES = 2
"""Cores that the times in the README were measured with."""
DEMO_MEMORY = 1.5
"""GB that the demo needs on two cores: its peak of 1.2, while two networks are compressed, and a margin."""
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
    if count < DEMO_CORES:
        return Finding("cores", "warning", f"{count}", f"expect twice the README's times, which are of {DEMO_CORES}")
    return Finding("cores", "ok", f"{count}; --cores {count} uses them all")


def room(total: float, available: float) -> Finding:
    """Whether memory is enough; ``total`` and ``available`` in GB."""
    says = f"{total:.1f} GB, {available:.1f} GB free; the demo needs {DEMO_MEMORY:.1f} GB on {DEMO_CORES} cores"
    if total < DEMO_MEMORY:
        return Finding("memory", "problem", says, "run with --cores 1, which takes about half, or on a larger machine")
    if available < DEMO_MEMORY:
        return Finding("memory", "warning", says, "end other programs, or run with --cores 1")
    return Finding("memory", "ok", says)


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
    if version and filtered:
        return Finding("confinement", "ok", f"Landlock, version {version}, and a filter of system calls")
    missing = []
    if not version:
        missing.append("no Landlock: a process that reads a network may write to your files and start programs")
    if not filtered:
        missing.append(
            "no filter of system calls: it may open connections, signal other processes, and change modes, owners "
            "and times of files"
        )
    return Finding(
        "confinement",
        "warning",
        f"{'; '.join(missing)} (SECURITY.md)",
        "read networks of unknown origin in a container",
    )


def instruction_sets(found: dict[str, Any], machine: str) -> Finding:
    """Whether the processor has what tensorflow needs and LiteRT is fast with.

    ``found`` is what ``quantrift.core.page.provenance.processor`` gives, ``machine`` the architecture's name.
    """
    sets: list[str] = found["instruction_sets"]
    says = f"{found['model']} ({machine}): {' '.join(sets) or 'instruction sets unknown'}"
    if machine not in ("x86_64", "AMD64") or not sets:
        return Finding("processor", "ok", says)
    if "avx" not in sets:
        return Finding("processor", "problem", says, "tensorflow needs avx; run on another machine")
    if not {"avx2", "fma"} <= set(sets):
        return Finding("processor", "warning", says, "without avx2 and fma expect slow searches and trainings")
    return Finding("processor", "ok", says)
