"""The papers' numbers in a table of ours: beside the row they belong to, or in a row that only the papers have."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from quantrift.config.datasets import Dataset
from quantrift.metrics.published import published_dataset, read_published

Key = tuple[str, ...]
"""Dataset first, then network and whatever else names a row."""
Printed = Mapping[Key, Mapping[str, float]]


def read(files: Sequence[Path], keys: Key) -> Printed:
    """Row -> its printed numbers, in the order of the files; a later file's row goes over an earlier one's."""
    printed: dict[Key, dict[str, float]] = {}
    for file in files:
        printed |= read_published(file, keys)
    return printed


def beside(printed: Printed, row: Key, datasets: Mapping[str, Dataset]) -> Mapping[str, float]:
    """What the papers print of a row of ours."""
    return printed.get(_filed(row, datasets), {})


def cells(numbers: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """Those of some numbers that are printed, by the names of their columns."""
    return {f"published_{name}": numbers[name] for name in names if name in numbers}


def alone(
    printed: Printed, rows: Iterable[Key], datasets: Mapping[str, Dataset], everywhere: bool = False
) -> dict[Key, Mapping[str, float]]:
    """What the papers print that stands beside no row of ours, of the datasets of our rows or of all (everywhere)."""
    shown = {_filed(row, datasets) for row in rows}
    of = {row[0] for row in shown}
    return {row: numbers for row, numbers in printed.items() if row not in shown and (everywhere or row[0] in of)}


def _filed(row: Key, datasets: Mapping[str, Dataset]) -> Key:
    return (published_dataset(row[0], datasets), *row[1:])


def title(dataset: str, datasets: Mapping[str, Dataset]) -> str:
    """A dataset's name for people; its id where only the papers use it."""
    return datasets[dataset].title if dataset in datasets else dataset
