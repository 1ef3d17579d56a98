"""Files that a user names: each is opened once, bounded and copied to a private folder; all else works on the copy.

A digest, a check and a run of a file then see the same bytes, whatever happens to the user's file meanwhile.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.limits import check_unpacked
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.runtime import beside
from quantrift.core.networks.ways import GRAPH, MARK, asked

VARIABLES = "variables"
"""Folder in a SavedModel that is read beside its graph; assets and other forms of the graph are not."""
PART = 1 << 20


class GivenFiles(AbstractContextManager["GivenFiles"]):
    """Private copies of given files, under the names that the files have.

    As a context manager it removes the copies, and an error that names a copy names the user's file instead. A file
    that is missing has no copy, so that whoever reads it says what is missing.
    """

    def __init__(self) -> None:
        self._room = temporary_folder()
        self._copies: dict[Path, Path] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._name_givens(error)
        self._room.cleanup()

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors within name the user's files; the copies stay."""
        try:
            yield
        except QuantriftError as error:
            self._name_givens(error)
            raise

    @property
    def sources(self) -> list[Path]:
        """The user's files, and folders of SavedModels, as they were named."""
        return list(self._copies)

    def folder(self) -> Path:
        """A new folder beside the copies."""
        made = Path(self._room.name) / str(len(os.listdir(self._room.name)))
        made.mkdir()
        return made

    def file(self, path: Path, place: Path | None = None) -> Path:
        """The copy of a file, which has the name of the file.

        Args:
            path: the user's file.
            place: path of the copy, for files that belong together; in a folder of its own otherwise.

        Raises:
            QuantriftError: the file is larger than the limit on unpacked content.
            OSError: the file may not be read, or the copy cannot be written.
        """
        if path not in self._copies:
            self._copies[path] = place or self.folder() / (path.name or "given")
            _copy(path, self._copies[path])
        return self._copies[path]

    def network(self, path: Path) -> Path:
        """The copy of a network, with the files beside it that hold weights, or of the folder of a SavedModel.

        A way of running that stands behind an ``@`` (``quantrift.core.networks.ways``) stands behind the copy, too.

        Raises:
            QuantriftError: one of the files is larger than the limit or missing, or there is no such way of running.
            OSError: as of ``file``.
        """
        wanted = asked(path)
        if wanted.file in self._copies:
            copy = self._copies[wanted.file]
        elif wanted.file.is_dir():
            copy = self._copies[wanted.file] = self.folder() / (wanted.file.resolve().name or "given")
            (copy / VARIABLES).mkdir(parents=True)
            for file in (wanted.file / GRAPH, *sorted((wanted.file / VARIABLES).glob("*"))):
                _copy(file, copy / file.relative_to(wanted.file))
        else:
            copy = self.file(wanted.file)
            if copy.is_file():
                for other, target in beside(wanted.file, copy).items():
                    self.file(other, target)
        return copy if wanted.way is None else copy.with_name(f"{copy.name}{MARK}{wanted.way}")

    def told(self, text: str) -> str:
        """A text with the names of the user's files in place of their copies."""
        for path, copy in self._copies.items():
            text = text.replace(str(copy), str(path)).replace(f"{copy.parent}{os.sep}", str(path.parent / "_")[:-1])
        return text

    def _name_givens(self, error: BaseException | None) -> None:
        if isinstance(error, QuantriftError):
            error.args = (self.told(str(error)),)


def _copy(source: Path, target: Path) -> None:
    """Copy a regular file up to the limit on its size, which it may pass while it is read."""
    try:
        # A pipe that nobody writes to would never be opened otherwise.
        given = open(source, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK))  # noqa: SIM115
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return
    with given:
        about = os.fstat(given.fileno())
        if not stat.S_ISREG(about.st_mode):
            return
        check_unpacked(source, about.st_size)
        with open(target, "xb", opener=lambda path, flags: os.open(path, flags, stat.S_IRUSR)) as copy:
            while part := given.read(PART):
                check_unpacked(source, copy.tell() + len(part))
                copy.write(part)
