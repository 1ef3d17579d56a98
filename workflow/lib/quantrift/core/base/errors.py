"""Errors for users: one line that says what is wrong and what to do."""

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


LONGEST = 200
"""Most characters of a value that an error shows."""
MACHINE = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.EROFS: "name a folder that can be written",
    errno.EACCES: "change its permissions",
    errno.EPERM: "change its permissions",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EMFILE: "allow more open files (ulimit -n)",
    errno.ENFILE: "allow more open files",
    errno.EFBIG: "allow larger files (ulimit -f)",
    errno.EIO: "check the disk",
}
"""Errors of the machine -> remedy."""


class QuantriftError(Exception):
    """An error that the user can correct. Its message is one line: what is wrong, where, and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


def refuse(*checks: tuple[object, str]) -> None:
    """Refuse what is wrong: each check is whether something is, and the line that says so.

    Raises:
        QuantriftError: the line of the first that is.
    """
    for wrong, line in checks:
        if wrong:
            raise QuantriftError(line)


class ConfigError(QuantriftError):
    """An error in a configuration."""


class Mistake(Exception):
    """An error of quantrift itself, whichever file is being read."""


@contextmanager
def reading(path: object, what: str = "cannot be read", remedy: str = "make it again") -> Iterator[None]:
    """Say of a given file whatever its content leads to within, in one line.

    A file that was damaged, or made so, may cause any error in the libraries that read it, and in the code that takes
    numbers and names out of it. So no list of error types can be complete.

    Args:
        path: the file.
        what: what is wrong with it; the type and the reason of the error follow.
        remedy: what to do.

    Raises:
        QuantriftError: for any error but those of memory, of the machine (``MACHINE``), of packages that are not
            installed, and ``Mistake``. The error stays attached.
    """
    try:
        yield
    except (QuantriftError, MemoryError, ImportError, Mistake):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in MACHINE:
            raise
        reason = on_one_line(f"{type(error).__name__}: {error}")
        raise QuantriftError(f"{path}: {what} ({reason}); {remedy}") from error


def of_machine(error: OSError) -> str | None:
    """Line on an error of the machine, with what to do; ``None`` for any other."""
    remedy = MACHINE.get(error.errno or 0)
    return remedy and f"{error.filename2 or error.filename or 'a file'}: {error.strerror}; {remedy}"


@contextmanager
def said_of(what: str) -> Iterator[None]:
    """Errors within say what they are of: ``table rq1: no run was found``."""
    try:
        yield
    except QuantriftError as error:
        raise QuantriftError(f"{what}: {error}") from None


def printable(text: str) -> str:
    """Text on one line: line ends and terminal control codes are shown as codes; damaged files hold both."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def on_one_line(said: object, most: int | None = 300) -> str:
    """Text of another library's error on one line, spaces for line ends, cut off after ``most`` characters."""
    return " ".join(str(said).split())[:most]


def nearest(name: str, valid: Iterable[str]) -> str:
    """A closing phrase naming the valid name nearest to ``name``, or all of them when none is near."""
    names = sorted(valid)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"valid: {', '.join(names)}" if names else "none is defined"


def check_name(said: str, name: str, valid: Iterable[str]) -> None:
    """Raise ``QuantriftError`` that says so, and names the nearest valid name, where a name is none of them."""
    if name not in (names := [*valid]):
        raise QuantriftError(f"{said}; {nearest(name, names)}")


def shown(value: object) -> str:
    """A value as text for an error, cut where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def first_mistake(error: "ValidationError") -> str:
    """First mistake in some settings: key, reason and given value, on one line."""
    first = error.errors()[0]
    unknown = [first["ctx"]["key"]] if first["type"] == "unknown_key" else []
    key = ".".join(map(str, (*first["loc"], *unknown)))
    message = "unknown key" if unknown else first["msg"].removeprefix("Value error, ")
    given = "" if first["type"] in ("value_error", "unknown_key", "missing") else f", got {shown(first['input'])}"
    return f"{key}: {message}{given}" if key else f"{message}{given}"
