"""Published numbers of the papers (workflow/published), and their assignment to datasets here."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from quantrift.core.settings.datasets import Dataset

SUBJECT = ("dataset", "model", "compression")
"""Columns that identify a subject, in tables of ours and in most files of published numbers."""


def published_dataset(dataset: str, datasets: Mapping[str, Dataset]) -> str:
    """The id under which published numbers of a dataset are filed: its ``published_as``, or its own id."""
    settings = datasets.get(dataset)
    return (settings.published_as if settings else None) or dataset


def have_published(shown: Iterable[str], datasets: Mapping[str, Dataset]) -> bool:
    """Whether published numbers over all data of a paper apply to some datasets: one of them names its numbers."""
    return any(name in datasets and datasets[name].published_as for name in shown)


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
