"""Metadata of a records file: settings that it was made with, and its results folder."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quantrift.base.errors import QuantriftError
from quantrift.base.paths import Paths
from quantrift.data import table_files

DAMAGE = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, MemoryError)
"""Errors that a damaged file may cause; its genes may ask for noise of any size."""


def settings(path: Path) -> dict[str, Any]:
    """The settings that a records file was made with.

    Raises:
        QuantriftError: if it is not a records file.
    """
    try:
        found: dict[str, Any] = json.loads(table_files.settings(path))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise QuantriftError(f"{path}: not a records file ({type(error).__name__}); name a seeds_* file") from None
    return found


def results_of(path: Path) -> Paths:
    """The results folder that a records file lies in."""
    # <results>/search/<dataset>/<model>/<compression>/<tool>/<protocol>/<file>
    return Paths(path.resolve().parents[6])


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Turn any error about the content of a records file into one line."""
    try:
        yield
    except DAMAGE as error:
        reason = str(error).partition("\n")[0]
        raise QuantriftError(f"{path}: damaged ({type(error).__name__}: {reason}); make the records again") from None
