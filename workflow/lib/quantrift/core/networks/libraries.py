"""Optional libraries of runtimes, imported by name when a runtime is used."""

from pathlib import Path
from typing import Any

from quantrift.core.base import plugins
from quantrift.core.base.errors import refuse
from quantrift.core.base.extras import missing


def library(name: str, runtime: str) -> Any:
    """The module ``name``, for the runtime called ``runtime``.

    Raises:
        QuantriftError: if it is not installed.
    """
    return plugins.library(name, str(missing(f"runtime {runtime}", name)))


def content(path: Path, suffixes: tuple[str, ...], runtime: str) -> bytes:
    """Content of a network's file.

    Raises:
        QuantriftError: if there is no such file, or of another kind than the runtime reads.
    """
    refuse(
        (not path.is_file(), f"{path}: no such file; build the model first"),
        (
            path.suffix not in suffixes,
            f"{path}: runtime {runtime} reads {' and '.join(suffixes)} files; choose another one",
        ),
    )
    return path.read_bytes()
