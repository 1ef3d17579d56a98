"""Images and labels in one .npz file, the form in which Keras publishes image datasets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base import archive
from quantrift.core.base.errors import QuantriftError, check_name, refuse
from quantrift.core.settings.datasets import OfficialImages, SourceFile
from quantrift.study.datasets.image_parts import Part, joined
from quantrift.study.datasets.official import Places, official

DIMENSIONS = {"x_train": 4, "y_train": 1, "x_test": 4, "y_test": 1}
"""Name of each array that the file must hold -> its number of dimensions."""


class Settings(OfficialImages):
    """Images and labels in one .npz file: ``x_train``, ``y_train``, ``x_test`` and ``y_test``, all unsigned bytes."""

    file: SourceFile

    def channels_in(self, folders: Sequence[Path]) -> int | None:
        """As a look into the file tells, where it lies in one of the folders already."""
        places = [Path(self.file.path), *(folder / self.file.path for folder in folders)]
        path = next((place for place in places if place.is_file()), None)
        if path is None:
            return None
        try:
            shape = archive.headers(path)["x_train"].shape
        except (QuantriftError, KeyError):
            # What is wrong with the file is said where it is read.
            return None
        return shape[-1] if len(shape) == 4 else None


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (N, rows, columns, channels) uint8, ``labels`` (N,), ``train`` and ``test``: the file's split.

    Raises:
        QuantriftError: for a missing or damaged file, and arrays that are missing, of another type or number of
            dimensions, or do not fit each other or the class names.
    """
    path = official(places, settings.file)
    headers = archive.headers(path)
    for name, dimensions in DIMENSIONS.items():
        check_name(f"{path}: has no array '{name}'", name, headers)
        header = headers[name]
        refuse(
            (
                header.dtype != np.uint8 or len(header.shape) != dimensions,
                f"{path}: {name} is {header.dtype} of shape {header.shape}, expected uint8 in {dimensions} "
                "dimension(s); convert it",
            )
        )
    held = archive.read_arrays(path, DIMENSIONS)
    train, test = (
        Part(held[f"x_{part}"], held[f"y_{part}"], f"{path}: x_{part}", f"{path}: y_{part}")
        for part in ("train", "test")
    )
    return joined(train, test, len(settings.class_names))
