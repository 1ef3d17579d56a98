"""Stored vectors of difference-inducing inputs, and their space."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from quantrift.core.base import search_parts, table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.grouped import grouped
from quantrift.core.search.carrying_parts import carrying_space
from quantrift.core.search.record_columns import CANDIDATES, damage_named, searches_path, settings
from quantrift.core.search.space import Domain, Space

ROWS = 50_000
"""Rows read at once; nearly none of them holds a vector."""


@dataclass(frozen=True, eq=False)
class Stored:
    """Difference-inducing inputs whose vectors are stored, by run seed, seed input, target and evaluation."""

    run_seed: np.ndarray
    """int32 (n,)."""
    input: np.ndarray
    """int64 (n,), numbers of the seed inputs."""
    target: np.ndarray
    """Target class of the search, int16 (n,); -1 where it had none."""
    evaluation: np.ndarray
    """int32 (n,)."""
    generation: np.ndarray
    """int32 (n,)."""
    psnr: np.ndarray
    """dB, float64 (n,)."""
    identity: np.ndarray
    """Whether the vector decodes to the seed input itself, bool (n,)."""
    label_original: np.ndarray
    """int16 (n,)."""
    label_compressed: np.ndarray
    true_label: np.ndarray
    reached: np.ndarray
    """Whether it reaches the goal of its protocol, bool (n,)."""
    seed_disagrees: np.ndarray
    """Whether the models disagree on the seed input itself, bool (n,)."""
    active: np.ndarray
    """Distortions switched on, uint32 (n,)."""
    digest: np.ndarray
    """uint64 (n,)."""
    vectors: np.ndarray
    """float32 (n, genes)."""

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, places: np.ndarray) -> "Stored":
        """Some of them, by place or by a mask."""
        return Stored(**{field.name: getattr(self, field.name)[places] for field in fields(self)})


COLUMNS = tuple(field.name for field in fields(Stored) if field.name != "vectors")
ORDER = ("run_seed", "input", "target", "evaluation")
"""Columns that identify a stored vector."""


def stored(path: Path) -> Stored:
    """All stored vectors of a records file.

    Raises:
        QuantriftError: if it cannot be read.
    """
    with damage_named(path):
        found = [
            Stored(**columns, vectors=vectors)
            for columns, vectors in table_files.holding(path, "vector", COLUMNS, ROWS)
        ]
        if not found:
            none = {name: np.empty(0, cast(np.dtype[Any], CANDIDATES[name])) for name in COLUMNS}
            found = [Stored(**none, vectors=np.empty((0, *space(path).shape), np.float32))]
        return joined(found)


def numbers(path: Path) -> dict[tuple[int, ...], int]:
    """(run seed, input, target, evaluation) of each stored vector of a records file -> its number there, from 1.

    Raises:
        QuantriftError: if it cannot be read.
    """
    with damage_named(path):
        parts = table_files.holding(path, "vector", ORDER, ROWS)
        keys = (key for columns, _ in parts for key in zip(*(columns[name].tolist() for name in ORDER), strict=True))
        return {key: number for number, key in enumerate(keys, 1)}


def joined(parts: Sequence[Stored]) -> Stored:
    """Parts joined into one, sorted by run seed, seed input, target and evaluation."""
    whole = Stored(**{one.name: np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Stored)})
    return whole.take(np.lexsort([getattr(whole, name) for name in reversed(ORDER)]))


def files_of_run_seeds(files: Sequence[Path]) -> dict[int, list[Path]]:
    """Run seed -> the candidates tables of its searches, those that found nothing included; ascending."""
    found = grouped(
        (run_seed, file)
        for file in files
        for run_seed in np.unique(table_files.read(searches_path(file), ["run_seed"])["run_seed"]).tolist()
    )
    return dict(sorted(found.items()))


def by_run_seed(files: Sequence[Path]) -> Iterator[tuple[int, Stored]]:
    """Stored vectors of each run seed, ascending; holds no more files at once than one run seed needs.

    Raises:
        QuantriftError: if a file cannot be read.
    """
    held: dict[Path, Stored] = {}
    for run_seed, own in files_of_run_seeds(files).items():
        held = {file: held[file] if file in held else stored(file) for file in own}
        yield run_seed, joined([one.take(one.run_seed == run_seed) for one in held.values()])


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
