"""Check that networks from files state a mean or std for each channel of their datasets' images."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from quantrift.core.settings.datasets import Dataset
from quantrift.core.settings.model_files import ImageInputs, ModelFile
from quantrift.core.settings.searches import Subjects


def mistakes(
    subjects: Mapping[str, Subjects],
    datasets: Mapping[str, Dataset],
    files: Mapping[str, ModelFile],
    folders: Sequence[Path],
) -> Iterator[str]:
    """One line for each network whose ``mean`` or ``std`` has other numbers than its images have channels.

    Args:
        subjects: groups of subjects.
        datasets: by id.
        files: networks from files, by id.
        folders: of files of datasets, in the order in which they are searched. A file that is in none of them yet is
            checked once it is read.
    """
    pairs = {pair for one in subjects.values() for pair in product(one.dataset, one.model) if pair[1] in files}
    for dataset, model in sorted(pairs):
        inputs = files[model].inputs
        if not isinstance(inputs, ImageInputs):
            continue
        for name in ("mean", "std"):
            stated = len(getattr(inputs, name))
            channels = datasets[dataset].channels_in(folders) if stated else None
            if channels is not None and channels != stated:
                yield (
                    f"models.{model}.inputs.{name}: has {stated} numbers, images of '{dataset}' have {channels} "
                    "channels; give as many"
                )
