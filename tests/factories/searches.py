"""Rows of searches tables by hand, and files of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

Row = dict[str, Any]


def search(run_seed: int, number: int, **counts: object) -> Row:
    """A search of one seed input: 100 candidates, 50 of them valid, nothing found, but for what is given by name."""
    row: Row = {
        "run_seed": run_seed,
        "input": number,
        "cluster": number,
        "target": -1,
        "true_label": 1,
        "seed_disagrees": False,
        "generated": 100,
        "distinct": 100,
        "valid": 50,
        "dii": 0,
        "dii_distinct": 0,
        "memberships": 100,
        "valid_memberships": 50,
        "dii_memberships": 0,
        "generations": 10,
        "first_dii": 0,
        "reached": 0,
        "reached_distinct": 0,
        "first_reached": 0,
        "seconds": 0.5,
    }
    return row | counts


def found(run_seed: int, number: int, dii: int) -> Row:
    """A search of 100 candidates that found so many distinct difference-inducing inputs, the first as its tenth."""
    first = 10 if dii else 0
    return search(run_seed, number, dii=dii, dii_distinct=dii, dii_memberships=dii, first_dii=first)


def reached(dii: int, first: int) -> Row:
    """Counts of a search for any disagreement: so many distinct ones, the first of them as this candidate."""
    counts = {"dii": dii, "dii_distinct": dii, "dii_memberships": dii, "first_dii": first}
    return counts | {"reached": dii, "reached_distinct": dii, "first_reached": first}


def first_attack(run_seed: int, number: int, queries: int, limit: int, **counts: object) -> Row:
    """A search that ends with its first disagreement, after so many valid candidates; 0 for none of ``limit``."""
    size = queries or limit
    sizes = {"generated": size, "distinct": size, "valid": size, "memberships": size}
    return search(run_seed, number, **sizes, **reached(int(queries > 0), queries), **counts)


def write(rows: Sequence[Row] | pd.DataFrame, folder: Path, block: str = "seeds_000-000") -> Path:
    """Write the searches table of a block of run seeds into a folder, made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{block}.searches.parquet"
    pd.DataFrame(rows).to_parquet(path)
    return path
