"""Metadata of a records file: settings that it was made with, and its results folder."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quantrift.core.base import table_files
from quantrift.core.base.errors import reading
from quantrift.core.base.paths import Paths


def settings(path: Path) -> dict[str, Any]:
    """The settings that a records file was made with.

    Raises:
        QuantriftError: if it is not a records file.
    """
    with reading(path, "not a records file", "name a seeds_* file"):
        return dict[str, Any](json.loads(table_files.settings(path)))


def results_of(path: Path) -> Paths:
    """The results folder that a records file lies in."""
    # <results>/search/<dataset>/<model>/<compression>/<tool>/<protocol>/<file>
    return Paths(path.resolve().parents[6])


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Turn any error about the content of a records file into one line; its genes may ask for noise of any size."""
    with reading(path, "damaged", "make the records again"):
        try:
            yield
        except MemoryError as error:
            raise OverflowError(error) from error
