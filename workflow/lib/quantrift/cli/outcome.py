"""End of a command: its exit code, and one line for any error."""

import errno
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from typing import IO

from quantrift.core.base.errors import QuantriftError, of_machine, on_one_line
from quantrift.core.base.extras import PACKAGES, missing
from quantrift.core.base.limits import UNPACKED

DONE, FAIL, COULD_NOT_RUN, INCONCLUSIVE, CRASH = 0, 1, 2, 3, 70
"""Exit codes of every command. 1 is a verdict: a limit is shown to be exceeded, or a check does not hold."""
OWN = ("TQDM_DISABLE", UNPACKED)
"""Environment variables that a command sets for itself and for the processes that it starts."""
MEANING = "Exit codes: 0 done or pass, 1 fail, 2 could not run, 3 inconclusive, 70 a crash of quantrift itself."


def ended(name: str, run: Callable[[], int]) -> int:
    """Run a command; returns its exit code, whatever happens.

    Args:
        name: of the command, for messages.
        run: does its work.
    """
    before = {variable: os.environ[variable] for variable in OWN if variable in os.environ}
    _prepare_streams()
    after = ExitStack()
    for number in {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:
        # Started by nohup, it is to outlive its terminal; None stands for a handler that Python does not know.
        with suppress(ValueError):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                earlier = signal.signal(number, lambda number, frame: sys.exit(128 + number))
                after.callback(signal.signal, number, earlier)
    out = sys.stdout
    said = sys.stdout = _Output(out)
    try:
        code = _code(name, run)
    finally:
        sys.stdout = out
        said.finish()
        # The process may go on: a test's or a notebook's.
        for variable in OWN:
            os.environ.pop(variable, None)
        os.environ |= before
        after.close()
    if said.failure is None:
        return code
    # A reader may close its end early; that is no error.
    if said.failure.errno != errno.EPIPE:
        say(f"quantrift {name}: standard output is incomplete ({said.failure.strerror}); make room, or close it")
    return code if code != DONE or said.stands else COULD_NOT_RUN


def say(line: str) -> None:
    """Print a line to standard error, if there is one."""
    with suppress(OSError, ValueError, AttributeError):
        print(line, file=sys.stderr, flush=True)


def tell(width: int, rows: Mapping[str, Iterable[object]]) -> None:
    """Print lines by their labels, each after its label in a column of a width."""
    for label, lines in rows.items():
        for line in lines:
            print(f"{label:<{width}}{line}")


def result_stands() -> None:
    """Note that the result is on disk: the exit code is its verdict even if standard output cannot be written."""
    if isinstance(sys.stdout, _Output):
        sys.stdout.stands = True


def _code(name: str, run: Callable[[], int]) -> int:
    try:
        return run()
    except QuantriftError as error:
        say(f"quantrift {name}: {error}")
    except MemoryError:
        say(f"quantrift {name}: not enough memory; close other programs, or give it less at once")
    except KeyboardInterrupt:
        say(f"quantrift {name}: interrupted; nothing was written")
        return 128 + signal.SIGINT
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        # Anything else that is missing is a broken installation, which its own message describes best.
        if package not in PACKAGES:
            return _crashed(name, error)
        say(f"quantrift {name}: {missing('the command', package)}")
    except OSError as error:
        if (line := of_machine(error)) is None:
            return _crashed(name, error)
        say(f"quantrift {name}: {line}")
    except Exception as error:
        return _crashed(name, error)
    return COULD_NOT_RUN


def _crashed(name: str, error: Exception) -> int:
    """Report a crash of quantrift, with the traceback in a file."""
    where = "no file could be written for its traceback"
    with (
        suppress(OSError),
        tempfile.NamedTemporaryFile(
            "w", prefix="quantrift-crash-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file,
    ):
        traceback.print_exception(error, file=file)
        where = f"please report it as an issue of the repository, with {file.name}"
    what = f"{type(error).__name__}: {on_one_line(error, 200)}"
    say(f"quantrift {name}: crashed, which is a mistake of quantrift ({what}); {where}")
    return CRASH


def _prepare_streams() -> None:
    """Make standard streams accept any text, and keep new files from the numbers of closed standard streams."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number, which is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115
        elif number and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # Bars are for people; a log would keep every state of them. Read when tqdm is imported.
    if not sys.stderr.isatty():
        os.environ.setdefault("TQDM_DISABLE", "1")


class _Output:
    """Standard output that goes on when it cannot be written, and remembers why."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.failure: OSError | None = None
        self.stands = False

    def write(self, text: str) -> int:
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, act: Callable[[], object]) -> None:
        if self.failure is None:
            try:
                act()
            except OSError as error:
                self.failure = error

    def finish(self) -> None:
        """Write the rest; text that cannot be written is dropped, so that Python does not try again at its end."""
        self.flush()
        if self.failure is not None:
            with suppress(OSError, ValueError, AttributeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
