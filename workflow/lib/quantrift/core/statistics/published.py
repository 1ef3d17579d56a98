"""Published numbers of the papers (workflow/published)."""

from pathlib import Path

SUBJECT = ("dataset", "model", "compression")
"""Columns that identify a subject, in tables of ours and in most files of published numbers."""


def read_published(path: Path | None, keys: tuple[str, ...]) -> dict[tuple[str, ...], dict[str, float]]:
    """Key values -> the published numbers of that row; empty without a file. Rates are fractions 0..1.

    A key is ``""`` where the paper pools over it.
    """
    if path is None:
        return {}
    import pandas as pd

    table = pd.read_csv(path, dtype=dict.fromkeys(keys, str))
    numbers = table.drop(columns=list(keys)).to_dict("records")
    return {
        key: {str(name): float(value) for name, value in row.items() if pd.notna(value)}
        for key, row in zip(table[list(keys)].fillna("").itertuples(index=False, name=None), numbers, strict=True)
    }
