"""Columns of the two records tables, candidates and searches, and their paths."""

from pathlib import Path

import pyarrow as pa

CANDIDATES = pa.schema(
    [
        ("run_seed", pa.int32()),
        ("input", pa.int64()),
        ("target", pa.int16()),
        ("evaluation", pa.int32()),
        ("generation", pa.int32()),
        ("label_original", pa.int16()),
        ("label_compressed", pa.int16()),
        ("true_label", pa.int16()),
        ("reached", pa.bool_()),
        ("fitness", pa.float64()),
        ("psnr", pa.float64()),
        ("identity", pa.bool_()),
        ("seed_disagrees", pa.bool_()),
        ("active", pa.uint32()),
        ("digest", pa.uint64()),
        ("seconds", pa.float64()),
        ("vector", pa.list_(pa.float32())),
    ]
)
"""One row per valid candidate and seed input, or per disagreeing one where the protocol stores no others. A search
is named by run seed, seed input and ``target``, its target class (-1: none). ``evaluation`` counts all candidates of
the search from 0, invalid ones too; ``reached``: the candidate reaches the goal of the protocol (``search.goal``);
``digest`` is the xxh3-64 of the decoded input's bytes; ``identity``: the candidate decodes to the seed input itself;
``active``: the distortions switched on, bit i for the i-th of those that the file's settings name; ``vector`` is stored
for some candidates that reach the goal only (``records.stored_vectors``)."""

SEARCHES = pa.schema(
    [
        ("run_seed", pa.int32()),
        ("input", pa.int64()),
        ("cluster", pa.int64()),
        ("target", pa.int16()),
        ("true_label", pa.int16()),
        ("seed_disagrees", pa.bool_()),
        ("constraint_fallback", pa.bool_()),
        ("generated", pa.int32()),
        ("distinct", pa.int32()),
        ("valid", pa.int32()),
        ("dii", pa.int32()),
        ("dii_distinct", pa.int32()),
        ("memberships", pa.int32()),
        ("valid_memberships", pa.int32()),
        ("dii_memberships", pa.int32()),
        ("generations", pa.int32()),
        ("first_dii", pa.int32()),
        ("reached", pa.int32()),
        ("reached_distinct", pa.int32()),
        ("first_reached", pa.int32()),
        ("seconds", pa.float64()),
    ]
)
"""One row per search and seed input. ``cluster`` is equal for seed inputs that are not independent cases: the seed
input itself, on a scene the square block that it lies in (``Inputs.clusters``). ``constraint_fallback``: the constraint
judges the seed input otherwise than its settings say (PSNR of an input without a positive value); ``*distinct`` count
decoded inputs; memberships count a survivor once a generation; ``first_dii``: candidates evaluated up to the end of the
generation of the first difference-inducing input, 0 where none was found. ``reached``, ``reached_distinct`` and
``first_reached`` say the same of the candidates that reach the goal of the protocol."""

TIMES = ("seconds",)
"""Columns that differ from run to run; all others are reproducible."""

SETTINGS = b"quantrift"
"""Key of the file metadata that holds the settings for a replay, as JSON."""


def searches_path(path: Path) -> Path:
    """The searches table that lies beside a candidates table."""
    return path.with_suffix(".searches.parquet")
