"""Atomic writing of files: a half-written file never stands under its final name."""

import csv
import hashlib
import json
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import psutil

from quantrift.core.base.errors import QuantriftError, refuse


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to; it takes the place of ``path`` when the block ends well.

    The temporary name ends like ``path`` (some libraries choose a format by suffix) and holds machine and process,
    so that jobs on several machines never share it. It is removed when the block raises; what a killed process of
    this machine left for the same file is removed too.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in left_behind(path.parent, f"-{path.name}"):
        left.unlink(missing_ok=True)
    temporary = path.with_name(f"{temporary_prefix()}-{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def temporary_prefix(start: str = ".") -> str:
    """Prefix of the temporary files and folders of this process, with machine and process; hidden unless ``start`` says
    otherwise.
    """
    return f"{start}{_machine()}-{os.getpid()}"


def left_behind(folder: Path, suffix: str | None = None, start: str = ".") -> list[Path]:
    """Temporary files and folders of killed processes of this machine: all that begin with ``start``, or those whose
    names also end in ``suffix``.
    """
    prefix = f"{start}{_machine()}-"
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        owner, _, rest = path.name.removeprefix(prefix).partition("-")
        ours = path.name.startswith(prefix) and suffix in (None, f"-{rest}")
        if ours and owner.isdecimal() and not psutil.pid_exists(int(owner)):
            found.append(path)
    return found


@cache
def _machine() -> str:
    """A short name of this space of process numbers: a container has its own, under the same host name."""
    named = [socket.gethostname()]
    with suppress(OSError):
        named.append(os.readlink("/proc/self/ns/pid"))
    with suppress(OSError):
        named.append(Path("/etc/machine-id").read_text(encoding="ascii").strip())
    return hashlib.sha256("|".join(named).encode()).hexdigest()[:8]


def check_writable(folder: Path) -> None:
    """Make sure that files can be written to a folder, which need not exist yet.

    Raises:
        QuantriftError: if it or the folder it would be made in is no folder or refuses new files.
    """
    there = next(filter(Path.exists, (folder, *folder.parents)), folder)
    refuse((not there.is_dir(), f"{there}: a file stands in the place of the results folder; move it away"))
    if not os.access(there, os.W_OK | os.X_OK):
        raise QuantriftError(f"{there}: results cannot be written there; change its permissions or work elsewhere")


def write_file(path: str | Path, content: bytes | str) -> None:
    """Write bytes, or text as UTF-8."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def write_json(path: str | Path, value: Any) -> None:
    """Write ``value`` as indented JSON in one step; NaN and infinities are refused, as JSON has none."""
    write_file(path, json.dumps(value, indent=1, allow_nan=False) + "\n")


def write_csv(path: str | Path, header: Iterable[object], rows: Iterable[Iterable[object]]) -> None:
    """Write a table as CSV, in UTF-8; ``None`` is empty."""
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(chain([header], rows))


def read_json(path: str | Path) -> Any:
    """The value of a JSON file."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def sha256(path: Path) -> str:
    """Digest of a file, 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
