"""Published numbers in a table of ours: beside the row they belong to, or in a row of their own."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from quantrift.core.settings.datasets import Dataset
from quantrift.core.statistics.published import published_dataset, read_published

Key = tuple[str, ...]
"""Key of a row: dataset, then network and whatever else names it."""
Published = Mapping[Key, Mapping[str, float]]


def read(files: Sequence[Path], keys: Key) -> Published:
    """Row -> its published numbers, in the order of the files; a later file's row goes over an earlier one's."""
    papers: dict[Key, dict[str, float]] = {}
    for file in files:
        papers |= read_published(file, keys)
    return papers


def beside(papers: Published, row: Key, datasets: Mapping[str, Dataset]) -> Mapping[str, float]:
    """Published numbers of a row of ours, by name; empty where there are none."""
    return papers.get(_filed(row, datasets), {})


def cells(numbers: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """Published ones of some numbers, by the names of their columns."""
    return {f"published_{name}": numbers[name] for name in names if name in numbers}


def alone(
    papers: Published, rows: Iterable[Key], datasets: Mapping[str, Dataset], everywhere: bool = False
) -> dict[Key, Mapping[str, float]]:
    """Published rows without a row of ours: those of the datasets of our rows, or all of them (everywhere)."""
    shown = {_filed(row, datasets) for row in rows}
    of = {row[0] for row in shown}
    return {row: numbers for row, numbers in papers.items() if row not in shown and (everywhere or row[0] in of)}


def _filed(row: Key, datasets: Mapping[str, Dataset]) -> Key:
    return (published_dataset(row[0], datasets), *row[1:])


def title(dataset: str, datasets: Mapping[str, Dataset]) -> str:
    """Display name of a dataset; its id where only the papers use it."""
    return datasets[dataset].title if dataset in datasets else dataset
