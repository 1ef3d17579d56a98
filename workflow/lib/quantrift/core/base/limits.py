"""Limits on memory and on the unpacked size of files, so that a small file cannot fill the machine."""

import os
import re
import resource
from collections.abc import Collection
from contextlib import suppress

import psutil

from quantrift.core.base.errors import QuantriftError

UNPACKED = "QUANTRIFT_MAX_UNPACKED"
"""Environment variable that sets the limit on unpacked content; ``--max-unpacked`` sets it for a command."""
DEFAULT = "4GB"
LEAST = {"DATA": 10**9, "AS": 8 * 10**9}
"""System limit -> least bytes that it must allow; TensorFlow reserves addresses that it never uses."""
_free: int | None = None
"""Bytes that were free when the limit was set; ``None`` without a limit."""
_given: tuple[int, int] | None = None
"""Soft and hard limit of the system before."""
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def size(text: str, option: str) -> int:
    """Bytes in a text like ``16GB``, ``500 MB`` or ``1000000``.

    Raises:
        QuantriftError: it is no size; ``option`` says what was being set.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]B|)", text.strip().upper())
    if not found or not float(found[1]):
        raise QuantriftError(f"{option} is '{text}'; give a size like 16GB or 500MB")
    return int(float(found[1]) * UNITS[found[2]])


def max_unpacked() -> int:
    """Bytes that the content of one file may take once it is unpacked."""
    return size(os.environ.get(UNPACKED) or DEFAULT, UNPACKED)


def check_unpacked(name: object, count: int) -> None:
    """Refuse a file whose content is larger than the limit.

    Args:
        name: the file, for the message.
        count: bytes of its content once unpacked, as the file itself states them.

    Raises:
        QuantriftError: it is larger; the message names the option that raises the limit.
    """
    if count > (limit := max_unpacked()):
        raise QuantriftError(
            f"{name}: unpacks to {count / 1e9:,.1f} GB, more than the limit of {limit / 1e9:g} GB; if you trust it, "
            f"raise the limit with --max-unpacked or {UNPACKED}"
        )


def limit_memory() -> None:
    """Let this process allocate no more memory than is free now; ``memory_left`` divides it with others.

    Linux grants more memory than there is and later ends whichever process uses it. Under this limit the allocation
    itself fails, which is an error of one line. A lower limit that is set already stays.

    Raises:
        QuantriftError: that limit is too low for the libraries, of which some try for ever to get more.
    """
    global _free, _given
    for name, least in LEAST.items():
        most = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0]
        if most != resource.RLIM_INFINITY and most < least:
            raise QuantriftError(
                f"this process may use {most / 1e9:.1f} GB of memory (RLIMIT_{name}), and needs {least / 1e9:.0f} GB; "
                "raise the limit with ulimit"
            )
    free = psutil.virtual_memory().available
    # Not what ``allow_memory`` has set since, which would fall from call to call.
    _given = _given or resource.getrlimit(resource.RLIMIT_DATA)
    _free = min([free, *(one for one in _given if one != resource.RLIM_INFINITY)])
    allow_memory(_free)


def memory_left(others: Collection[int]) -> int | None:
    """Bytes that a process may allocate beside others, so that all together stay below what ``limit_memory`` set here.

    The system counts each process for itself.

    Args:
        others: numbers of processes, which wait meanwhile.

    Returns:
        ``None`` where no limit was set, and on systems that do not tell what processes have allocated.
    """
    if _free is None or not psutil.LINUX:
        return None
    left = _free
    for number in others:
        with suppress(psutil.NoSuchProcess):
            left -= psutil.Process(number).memory_info().data
    return max(left, 0)


def allow_memory(most: int | None) -> None:
    """Let this process allocate ``most`` bytes, what it has included; ``None`` changes nothing."""
    # Systems that do not know the limit refuse it.
    with suppress(ValueError, OSError):
        if most is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))
