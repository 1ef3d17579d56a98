"""The folder of an assessment: it appears whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quantrift.assess.assessment import FILE
from quantrift.config.errors import QuantriftError
from quantrift.config.files import check_writable


@contextmanager
def appearing(out: Path) -> Iterator[Path]:
    """A folder to write to, which takes the place of ``out`` when the block ends well, and is removed when it does not.

    Raises:
        QuantriftError: ``out`` holds something else than an earlier assessment, which would be lost.
    """
    if out.exists() and not out.is_dir():
        raise QuantriftError(f"{out}: is a file; name a folder for the assessment")
    if out.is_dir() and any(out.iterdir()) and not (out / FILE).is_file():
        raise QuantriftError(f"{out}: holds other files than an assessment; name a new folder")
    parent = out.absolute().parent
    check_writable(parent)
    made = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=parent))
    earlier = work.with_name(f"{work.name}-earlier")
    try:
        # Temporary folders are closed to others; results need not be.
        umask = os.umask(0)
        os.umask(umask)
        work.chmod(0o777 & ~umask)
        yield work
        if out.exists():
            out.rename(earlier)
        work.rename(out)
    finally:
        if earlier.exists() and not out.exists():
            earlier.rename(out)
        for folder in (work, earlier):
            shutil.rmtree(folder, ignore_errors=True)
        if not out.exists():
            # Those that have got other content meanwhile stay.
            with suppress(OSError):
                for folder in made:
                    folder.rmdir()


def linked(source: Path, target: Path) -> None:
    """The same file under another name; a copy where the file system knows no such thing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)
