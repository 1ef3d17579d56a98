"""Records files: columns of the two tables, candidates and searches, their paths, and their settings."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import reading
from quantrift.core.base.paths import Paths
from quantrift.core.base.table_columns import Lists, Types

CANDIDATES: Types = {
    "run_seed": np.dtype(np.int32),
    "input": np.dtype(np.int64),
    "target": np.dtype(np.int16),
    "evaluation": np.dtype(np.int32),
    "generation": np.dtype(np.int32),
    "label_original": np.dtype(np.int16),
    "label_compressed": np.dtype(np.int16),
    "true_label": np.dtype(np.int16),
    "reached": np.dtype(np.bool_),
    "fitness": np.dtype(np.float64),
    "psnr": np.dtype(np.float64),
    "identity": np.dtype(np.bool_),
    "seed_disagrees": np.dtype(np.bool_),
    "active": np.dtype(np.uint32),
    "digest": np.dtype(np.uint64),
    "seconds": np.dtype(np.float64),
    "vector": Lists(np.dtype(np.float32)),
}
"""One row per valid candidate and seed input, or per disagreeing one where the protocol stores no others. A search
is named by run seed, seed input and ``target``, its target class (-1: none). ``evaluation`` counts all candidates of
the search from 0, invalid ones too; ``reached``: the candidate reaches the goal of the protocol (``search.stopping``);
``digest`` is the xxh3-64 of the decoded input's bytes; ``identity``: the candidate decodes to the seed input itself;
``active``: the distortions switched on, bit i for the i-th of those that the file's settings name; ``vector`` is stored
for some candidates that reach the goal only (``records.stored_vectors``)."""

SEARCHES: dict[str, np.dtype[Any]] = {
    "run_seed": np.dtype(np.int32),
    "input": np.dtype(np.int64),
    "cluster": np.dtype(np.int64),
    "target": np.dtype(np.int16),
    "true_label": np.dtype(np.int16),
    "seed_disagrees": np.dtype(np.bool_),
    "constraint_fallback": np.dtype(np.bool_),
    "generated": np.dtype(np.int32),
    "distinct": np.dtype(np.int32),
    "valid": np.dtype(np.int32),
    "dii": np.dtype(np.int32),
    "dii_distinct": np.dtype(np.int32),
    "memberships": np.dtype(np.int32),
    "valid_memberships": np.dtype(np.int32),
    "dii_memberships": np.dtype(np.int32),
    "generations": np.dtype(np.int32),
    "first_dii": np.dtype(np.int32),
    "reached": np.dtype(np.int32),
    "reached_distinct": np.dtype(np.int32),
    "first_reached": np.dtype(np.int32),
    "seconds": np.dtype(np.float64),
}
"""One row per search and seed input. ``cluster`` is equal for seed inputs that are not independent cases: the seed
input itself, on a scene the square block that it lies in (``Inputs.clusters``). ``constraint_fallback``: the constraint
judges the seed input otherwise than its settings say (PSNR of an input without a positive value); ``*distinct`` count
decoded inputs; memberships count a survivor once a generation; ``first_dii``: candidates evaluated up to the end of the
generation of the first difference-inducing input, 0 where none was found. ``reached``, ``reached_distinct`` and
``first_reached`` say the same of the candidates that reach the goal of the protocol."""

TIMES = ("seconds",)
"""Columns that differ from run to run; all others are reproducible."""


def searches_path(path: Path) -> Path:
    """The searches table that lies beside a candidates table, in the same form."""
    return path.with_suffix(f".searches{path.suffix}")


def settings(path: Path) -> dict[str, Any]:
    """The settings that a records file was made with.

    Raises:
        QuantriftError: if it is not a records file.
    """
    with reading(path, "not a records file", "name a seeds_* file"):
        return dict[str, Any](json.loads(table_files.settings(path)))


def switched_on(distortions: Sequence[str], active: int) -> list[str]:
    """Those of the distortions that a file's settings name whose bits are set."""
    return [name for bit, name in enumerate(distortions) if active >> bit & 1]


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
