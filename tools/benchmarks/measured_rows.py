"""Results of a finished benchmark, which the sections of documents are written from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json


def result(root: Path, name: str) -> Mapping[str, Any]:
    """The whole of results/bench/``name``.json of the checkout ``root``.

    Raises:
        QuantriftError: if the benchmark has not run there.
    """
    path = root / "results" / "bench" / f"{name}.json"
    if not path.is_file():
        raise QuantriftError(f"{path}: no such file; run python -m tools.bench {name} first")
    found: Mapping[str, Any] = read_json(path)
    return found


def measured(root: Path, name: str) -> list[Mapping[str, Any]]:
    """The rows of ``result``."""
    rows: list[Mapping[str, Any]] = result(root, name)["rows"]
    return rows
