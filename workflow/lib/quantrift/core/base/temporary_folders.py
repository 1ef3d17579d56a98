"""Temporary folders of this process; those of killed processes are removed."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from quantrift.core.base.files import left_behind, temporary_prefix

START = "quantrift-"


def temporary_folder() -> TemporaryDirectory[str]:
    """A new private folder for temporary files; what killed processes of this user and machine left goes."""
    for left in left_behind(Path(gettempdir()), start=START):
        with suppress(OSError):
            if left.lstat().st_uid == os.geteuid() and not left.is_symlink():
                shutil.rmtree(left)
    return TemporaryDirectory(prefix=f"{temporary_prefix(START)}-")
