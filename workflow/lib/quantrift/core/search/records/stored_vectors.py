"""Stored vectors of difference-inducing inputs, and their space."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from quantrift.core.base import search_parts, table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.grouped import grouped
from quantrift.core.base.table_columns import Arrays, in_order, joined, taken
from quantrift.core.search.carrying_parts import carrying_space
from quantrift.core.search.record_columns import CANDIDATES, damage_named, searches_path, settings
from quantrift.core.search.space import Domain, Space

ROWS = 50_000
"""Rows read at once; nearly none of them holds a vector."""


COLUMNS = (
    *("run_seed", "input", "target", "evaluation", "generation", "psnr", "identity", "label_original"),
    *("label_compressed", "true_label", "reached", "seed_disagrees", "active", "digest"),
)
"""Columns of the candidates table that tables of stored vectors have, too, beside ``vector``, float32 (n, genes)."""
ORDER = ("run_seed", "input", "target", "evaluation")
"""Columns that identify a stored vector."""


def stored(path: Path) -> Arrays:
    """All stored vectors of a records file: ``COLUMNS`` and ``vector``, sorted by ``ORDER``.

    Raises:
        QuantriftError: if it cannot be read.
    """
    with damage_named(path):
        parts = [
            {**columns, "vector": vectors} for columns, vectors in table_files.holding(path, "vector", COLUMNS, ROWS)
        ]
        if not parts:
            none = {name: np.empty(0, cast(np.dtype[Any], CANDIDATES[name])) for name in COLUMNS}
            parts = [{**none, "vector": np.empty((0, *space(path).shape), np.float32)}]
        return in_order(joined(parts), ORDER)


def numbers(path: Path) -> dict[tuple[int, ...], int]:
    """(run seed, input, target, evaluation) of each stored vector of a records file -> its number there, from 1.

    Raises:
        QuantriftError: if it cannot be read.
    """
    with damage_named(path):
        parts = table_files.holding(path, "vector", ORDER, ROWS)
        keys = (key for columns, _ in parts for key in zip(*(columns[name].tolist() for name in ORDER), strict=True))
        return {key: number for number, key in enumerate(keys, 1)}


def files_of_run_seeds(files: Sequence[Path]) -> dict[int, list[Path]]:
    """Run seed -> the candidates tables of its searches, those that found nothing included; ascending."""
    found = grouped(
        (run_seed, file)
        for file in files
        for run_seed in np.unique(table_files.read(searches_path(file), ["run_seed"])["run_seed"]).tolist()
    )
    return dict(sorted(found.items()))


def by_run_seed(files: Sequence[Path]) -> Iterator[tuple[int, Arrays]]:
    """Stored vectors of each run seed, ascending; holds no more files at once than one run seed needs.

    Raises:
        QuantriftError: if a file cannot be read.
    """
    held: dict[Path, Arrays] = {}
    for run_seed, own in files_of_run_seeds(files).items():
        held = {file: held[file] if file in held else stored(file) for file in own}
        yield run_seed, in_order(joined([taken(one, one["run_seed"] == run_seed) for one in held.values()]), ORDER)


def space(path: Path) -> Space:
    """The space of the vectors of a records file, as its settings describe it.

    Raises:
        QuantriftError: if it is not a records file, or one of an earlier version without these settings.
    """
    made: dict[str, Any] = settings(path)
    if "domain" not in made:
        raise QuantriftError(f"{path}: written by an earlier version, without its domain; delete it and search again")
    with damage_named(path):
        domain, part = Domain.stated(made["domain"]), made["tool_settings"]["space"]
        module = search_parts.load("space", part["name"])
        return carrying_space(module.bind(module.Params(**part["params"]), domain), domain)
