"""Writing files so that a half-written one is never taken for a finished one."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to; it takes the place of ``path`` when the block ends well.

    The temporary name ends like ``path`` (some libraries choose a format by suffix) and holds host and process,
    so that jobs on several machines never share it. It is removed when the block raises.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{socket.gethostname()}-{os.getpid()}-{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: str | Path, value: Any) -> None:
    """Write ``value`` as indented JSON in one step; NaN and infinities are refused, as JSON has none."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read_json(path: str | Path) -> Any:
    """The value of a JSON file."""
    return json.loads(Path(path).read_text(encoding="utf-8"))
