"""The log of a job: its output and that of libraries, and in the last line the reason of a failure.

Libraries such as TensorFlow write to standard error by its number, past Python. So from ``start`` on, file descriptors
1 and 2 are the log. Python's own standard error, progress bars above all, also goes to the terminal as before.
"""

import faulthandler
import io
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from quantrift.core.base.errors import printable

PREFIX = "quantrift: "
"""Beginning of the line with the reason of a failure."""
TAIL = 1 << 16
"""Bytes at the end of a log that are searched for its last line."""
LONGEST = 500
"""Characters of that line that are shown."""


class _Log(io.FileIO):
    """The file of a log. A disk that is full costs the log, and the job only where its results need room."""

    def __init__(self, number: int, terminal: int):
        super().__init__(number, "w", closefd=False)
        self._terminal = terminal
        self._lost = False

    def write(self, content: Any) -> int:
        """Write all of it; the first failure is told on the terminal."""
        left = content = bytes(content)
        try:
            while left:
                left = left[os.write(self.fileno(), left) :]
        except OSError as error:
            if not self._lost:
                self._lost = True
                with suppress(OSError):
                    os.write(self._terminal, f"{PREFIX}the log lost lines: {error.strerror or error}\n".encode())
        return len(content)


class _Both:
    """Standard error of a job: the terminal, and the log without what progress bars overwrite.

    In all else it is the terminal: progress bars use its characters and its width.
    """

    def __init__(self, terminal: TextIO, log: TextIO):
        self.terminal = terminal
        self.log = log
        self.line = ""

    def __getattr__(self, name: str) -> object:
        return getattr(self.terminal, name)

    def write(self, text: str) -> int:
        """Write to both; the log gets whole lines, as a terminal shows them in the end."""
        *lines, self.line = (self.line + text).split("\n")
        self.line = self.line.rpartition("\r")[2]
        self.log.write("".join(line.rpartition("\r")[2] + "\n" for line in lines))
        # A terminal may go before its job; the log stays, and progress bars, which end with a failing write, go on.
        with suppress(OSError):
            self.terminal.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush what the terminal has got; the log has its own already."""
        with suppress(OSError):
            self.terminal.flush()


_said: _Both | None = None
"""This process's standard error, once its log was started."""
_path: Path | None = None


def start(path: Path) -> None:
    """Begin the log of this process, which is a job; to be called before libraries are imported.

    Raises:
        OSError: the log cannot be written.
    """
    global _said, _path
    path.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # Processes that a job starts write to the same end.
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
    # It stays open as long as the process lives, as the log does.
    terminal = open(os.dup(2), "w", encoding=sys.stderr.encoding, errors="backslashreplace", buffering=1)  # noqa: SIM115
    os.dup2(log, 1)
    os.dup2(log, 2)
    # Written at once, as libraries write to the same file past Python.
    text = io.TextIOWrapper(_Log(log, terminal.fileno()), "utf-8", "backslashreplace", write_through=True)
    _path, _said = path, _Both(terminal, text)
    sys.stdout, sys.stderr = _said.log, _said
    # Of a crash in native code, which ends the process at once, Python can still say where it was.
    faulthandler.enable(log)


def failed(reason: str, error: BaseException) -> None:
    """Write the reason of this job's failure in one line: to its log, after the traceback, and to the terminal."""
    trace = "".join(traceback.format_exception(error))
    line = PREFIX + printable(reason)
    if _said is None:
        print(trace, line, sep="", file=sys.stderr)
        return
    # A progress bar may stand in the last line.
    if _said.line.strip():
        _said.write("\n")
    _said.log.write(f"{trace}{line}\n")
    _said.terminal.write(f"{line} (log: {_path})\n")
    _said.terminal.flush()


def crashed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The same for an unexpected exception; fits ``sys.excepthook``."""
    # Messages of libraries may have many lines, of which the first says most.
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    failed(f"{kind.__name__}: {first}" if first else kind.__name__, error)


def stopped(number: int) -> None:
    """Note in the log that a signal ends this job; may be called by its handler."""
    if _said is not None:
        # Not through Python's file objects, one of which may be in the middle of a line.
        with suppress(OSError):
            os.write(2, f"\n{PREFIX}stopped by {signal.Signals(number).name}\n".encode())


def told(path: Path) -> bool:
    """True where the last line of a job's log is the reason of its failure, which the terminal has too."""
    with suppress(OSError):
        return any(line.startswith(PREFIX) for line in _end(path)[-1:])
    return False


def reason(path: Path) -> str:
    """Reason of a job's failure, for people, from the end of its log."""
    try:
        lines = _end(path)
    except OSError:
        return "left no log"
    # Of a crash in native code; where Python was follows.
    fatal = [line for line in lines if line.startswith("Fatal Python error: ")]
    last = (fatal or lines or [""])[-1].strip()
    if fatal or last.startswith(PREFIX):
        return _cut(last.removeprefix(PREFIX))
    # A process that is killed writes nothing more; the usual cause is a lack of memory.
    return f"killed, perhaps for lack of memory; its log ends: {_cut(last)}" if last else "killed before it said a word"


def _end(path: Path) -> list[str]:
    """The last lines of a log, those without a word left out."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        text = file.read().decode("utf-8", errors="replace")
    return [line for line in text.splitlines() if line.strip()]


def _cut(line: str) -> str:
    line = printable(line)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
