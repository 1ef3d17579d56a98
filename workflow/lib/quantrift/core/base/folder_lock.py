"""A folder that one process alone writes to, for as long as it does."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import check_writable


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder if it is missing, and keep other processes that ask here out of it during the block.

    The folder itself is locked, so that no file is left in it. The system unlocks it when the process ends, whatever
    ends it. Some network file systems lock no folders; there nobody is kept out.

    Raises:
        QuantriftError: another process is in the block, or the folder is a file or cannot be written to.
    """
    if folder.exists() and not folder.is_dir():
        raise QuantriftError(f"{folder}: is a file; name a folder with --out")
    check_writable(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise QuantriftError(f"{folder}: cannot be made ({error.strerror}); name another folder with --out") from None
    # Not inherited by other processes that this one starts.
    place = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise QuantriftError(
                    f"{folder}: another run is writing to it; wait for its end, or name another folder with --out"
                ) from None
        yield
    finally:
        os.close(place)
