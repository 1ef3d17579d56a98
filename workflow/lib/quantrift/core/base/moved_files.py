"""Finished files move into a folder together: all of them, or none; the next run finishes what a kill interrupted."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import check_writable, left_behind, temporary_prefix

COMMIT = ".quantrift-commit"
"""Folder within the folder, as long as files move: what is new, and what was there earlier."""
WORK = "-unfinished"
"""Ending of the names of folders of unfinished files."""


@contextmanager
def unfinished(place: Path) -> Iterator[Path]:
    """A new hidden folder in ``place``, which is gone when the block ends, as are those of killed processes."""
    remove_unfinished(place)
    work = place / f"{temporary_prefix()}{WORK}"
    work.mkdir()
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def remove_unfinished(place: Path) -> None:
    """Remove what killed processes left unfinished in a folder."""
    for left in left_behind(place, WORK):
        shutil.rmtree(left, ignore_errors=True)


def move_into(folder: Path, work: Path, earlier: Sequence[str], last: str) -> None:
    """Move all files of ``work`` into a folder, in place of earlier ones; if a move fails, all are taken back.

    Args:
        folder: in which this process is alone (``quantrift.core.base.moved_files``).
        work: a folder on the same file system.
        earlier: files that go, by their names relative to the folder, ``last`` at the end.
        last: name of the new file that moves last.
    """
    commit = folder / COMMIT
    (commit / "earlier").mkdir(parents=True)
    # From here on, the next run would finish.
    work.rename(commit / "new")
    moved: list[tuple[Path, Path]] = []
    try:
        _move(folder, earlier, last, moved)
    except BaseException:
        for source, target in reversed(moved):
            source.parent.mkdir(parents=True, exist_ok=True)
            target.rename(source)
        raise
    finally:
        shutil.rmtree(commit)


def finish_moving(folder: Path, earlier: Callable[[], Sequence[str]], last: str) -> None:
    """Finish what a killed process began with ``move_into``.

    Args:
        folder: in which this process is alone.
        earlier: tells which of the earlier files are still in the folder.
        last: as it was.
    """
    commit = folder / COMMIT
    if (commit / "new" / last).is_file():
        _move(folder, earlier(), last, [])
    if commit.exists():
        shutil.rmtree(commit)


def files_below(folder: Path) -> list[str]:
    """Names of all files below a folder, relative to it, with slashes, sorted."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def _move(folder: Path, earlier: Sequence[str], last: str, moved: list[tuple[Path, Path]]) -> None:
    """Move what has not moved yet; ``moved`` notes each file as it moves."""
    commit = folder / COMMIT
    new = sorted(files_below(commit / "new"), key=lambda name: name == last)
    for place, names, target in ((folder, earlier, commit / "earlier"), (commit / "new", new, folder)):
        for name in names:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).rename(target / name)
            moved.append((place / name, target / name))


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder if it is missing, and keep other processes that ask here out of it during the block.

    The folder itself is locked, so that no file is left in it. The system unlocks it when the process ends, whatever
    ends it. Some network file systems lock no folders; there nobody is kept out.

    Raises:
        QuantriftError: another process is in the block, or the folder is a file or cannot be written to.
    """
    refuse((folder.exists() and not folder.is_dir(), f"{folder}: is a file; name a folder with --out"))
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
