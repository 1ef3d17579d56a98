"""A process that confines itself and prints what it can do nevertheless: ``python FILE FOLDER PORT FILTERED``.

``FOLDER`` holds ``own``, a folder, ``given``, a file, and ``socket``; at ``PORT`` and at an abstract socket named like
the folder somebody listens. ``FILTERED`` is 1 with the filter of system calls, 0 without.
"""

import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from quantrift.core.networks.foreign import confinement, system_calls


def attempts(folder: Path, port: int) -> dict[str, Callable[[], object]]:
    """Name -> what nobody may do who is confined to the folder ``own``."""
    given, parent = folder / "given", os.getppid()
    opened = given.open()
    terminal = os.openpty()[1]
    return {
        "write": lambda: (folder / "other").write_text("x"),
        "overwrite": lambda: given.write_text("x"),
        "remove": given.unlink,
        "move out": lambda: (folder / "own" / "b").rename(folder / "b"),
        "make a folder": (folder / "new").mkdir,
        "start a program": lambda: subprocess.run(["true"], check=True),
        "TCP": lambda: connect(socket.AF_INET, ("127.0.0.1", port)),
        "abstract socket": lambda: connect(socket.AF_UNIX, f"\0{folder}"),
        "signal": lambda: os.kill(parent, signal.SIGWINCH),
        "empty": lambda: os.truncate(given, 0),
        "empty by reading": lambda: os.open(given, os.O_RDONLY | os.O_TRUNC),
        "Unix socket": lambda: connect(socket.AF_UNIX, str(folder / "socket")),
        "UDP": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)),
        "pair of sockets": socket.socketpair,
        "mode": lambda: given.chmod(0o600),
        "mode of an open file": lambda: os.fchmod(opened.fileno(), 0o600),
        "mode by a new call": lambda: call("fchmodat2", -100, bytes(given), 0o600, 0),
        "owner": lambda: os.chown(given, os.getuid(), os.getgid()),
        "times": lambda: os.utime(given, (1, 1)),
        "attribute": lambda: os.setxattr(given, "user.x", b"x"),
        "attribute by a new call": lambda: call("setxattrat", -100, bytes(given), 0, b"user.x", None, 0),
        "ring": lambda: call("io_uring_setup", 1, ctypes.create_string_buffer(200)),
        "limit": lambda: call("prlimit64", parent, 7, None, None),
        "signal by a file": lambda: fcntl.fcntl(opened, fcntl.F_SETOWN, parent),
        "type": lambda: fcntl.ioctl(terminal, termios.TIOCSTI, b"x"),
        "memory": lambda: call("process_vm_readv", parent, None, 0, None, 0, 0),
        "trace": lambda: call("ptrace", 0x4206, parent, 0, 0),
    }


def connect(kind: socket.AddressFamily, address: object) -> None:
    """Connect to an address."""
    with socket.socket(kind) as one:
        one.connect(address)  # type: ignore[arg-type]


def call(name: str, *arguments: object) -> None:
    """Make a system call that Python has no function for, by its number here."""
    numbers = {name: numbers for name, *numbers in map(str.split, system_calls.CALLS.split(","))}
    number = int(numbers[name][list(system_calls.MACHINES).index(os.uname().machine)])
    if ctypes.CDLL(None, use_errno=True).syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def main(folder: Path, port: int, filtered: bool) -> None:
    """Print the names of what was not refused; assert what a confined process may do."""
    own, waiting = folder / "own", attempts(folder, port)
    if not filtered:
        system_calls.offered = lambda: False
    (own / "a").write_text("x")
    assert confinement.confine([own])
    (own / "a").rename(own / "b")
    (own / "b").write_text("longer")
    Path(os.devnull).write_text("x")
    os.kill(os.getpid(), signal.SIGWINCH)
    with suppress(ProcessLookupError):
        os.kill(2**30, 0)
    for name, attempt in waiting.items():
        try:
            attempt()
        except PermissionError:
            continue
        except OSError as error:
            name = f"{name}: {error}"
        print(name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1")
