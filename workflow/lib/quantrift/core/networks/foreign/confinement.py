"""Confinement: a process gives up the rights to write outside its folder, start programs and connect, for good.

Landlock, a security module of Linux since 5.13, needs no privileges. Its bindings on PyPI are a pre-release and a
single upload, hence the three system calls here. A filter of system calls
(``quantrift.core.networks.foreign.system_calls``) refuses what Landlock has no rights for.

``python -m core.networks.foreign.confinement FD FOLDER MODULE`` runs a module confined to a folder, with the first
two arguments. Landlock binds the thread that asks for it and those it starts, so it comes before any import.
"""

import ctypes
import os
import runpy
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from quantrift.core.networks.foreign import system_calls

CREATE, ADD, RESTRICT = 444, 445, 446
"""Numbers of the system calls, the same on all processors."""
NO_NEW_PRIVILEGES = 38
BENEATH = 1
EXECUTE, WRITE, READ, LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Version of Landlock -> number of rights on files that it knows, from the lowest bit."""
CONNECT = 0b11
"""TCP: bind and connect, from version 4 on."""
OTHERS = 0b11
"""Other processes: their abstract Unix sockets, and signals to them, from version 6 on."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Version of Landlock that the kernel offers; 0 where it offers none."""
    return max(0, _library().syscall(CREATE, None, 0, 1)) if sys.platform.startswith("linux") else 0


def confine(writable: Sequence[Path]) -> bool:
    """Let this process, and every process and thread it starts, write to some folders alone.

    The process can start no other program either, open no socket, change no modes, owners, times or attributes of
    files, and signal no other process. SECURITY.md says what of this needs Landlock, and what the filter of system
    calls. Reading is not restricted, nor are files that are open already. Landlock does not bind threads that run
    already, so call it first.

    Args:
        writable: folders that exist.

    Returns:
        Whether the kernel offers Landlock; the filter is set without it too.
    """
    offered, filtered = version(), system_calls.offered()
    if offered or filtered:
        _checked(_library().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    if offered:
        _restrict(writable, offered)
    if filtered:
        system_calls.refuse()
    return offered > 0


def _restrict(writable: Sequence[Path], offered: int) -> None:
    known = (1 << max(count for since, count in RIGHTS.items() if since <= offered)) - 1
    writing = known & ~(EXECUTE | READ | LIST)
    rules = _Ruleset(known & ~(READ | LIST), CONNECT, OTHERS)
    library, length = _library(), 24 if offered >= 6 else 16 if offered >= 4 else 8
    ruleset = _checked(library.syscall(CREATE, ctypes.byref(rules), length, 0))
    try:
        # Writing to the null device is allowed.
        for place, allowed in ((Path(os.devnull), writing & (WRITE | TRUNCATE)), *((one, writing) for one in writable)):
            folder = os.open(place, os.O_PATH | os.O_CLOEXEC)
            try:
                _checked(library.syscall(ADD, ruleset, BENEATH, ctypes.byref(_Beneath(allowed, folder)), 0))
            finally:
                os.close(folder)
        _checked(library.syscall(RESTRICT, ruleset, 0))
    finally:
        os.close(ruleset)


@contextmanager
def confined_to(out: Path) -> Iterator[None]:
    """Confine this process, for good, to a folder and to temporary files in it, which are gone when the block ends.

    Args:
        out: folder, made where it does not exist.
    """
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".quantrift-", dir=out) as folder:
        tempfile.tempdir = folder
        confine([out])
        yield


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "Landlock")
    return result


if __name__ == "__main__":
    program = sys.argv.pop()
    confine([Path(sys.argv[2])])
    runpy.run_module(program, run_name="__main__", alter_sys=True)
