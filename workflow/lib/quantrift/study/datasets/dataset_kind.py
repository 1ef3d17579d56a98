"""Kinds of datasets, found by folder: a module in ``data/kinds`` is a kind.

Configurations are read with the settings of all kinds, so their modules load libraries that take long to load, like
scikit-learn, in the functions that use them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base import plugins
from quantrift.core.base.archive import write_arrays
from quantrift.core.settings.datasets import Dataset
from quantrift.study.datasets.official import Places

FOLDER = "quantrift.study.datasets.kinds"


class Kind(Protocol):
    """Interface of the module of a kind."""

    Settings: type[Dataset]
    """Settings of a dataset of the kind; its ``kind`` is the name of the module."""

    def arrays(self, settings: Any, places: Places) -> dict[str, NDArray[Any]]:
        """The dataset.

        Args:
            settings: of this kind.
            places: where official files may come from (``quantrift.study.datasets.official.official``).

        Returns:
            Of images ``images`` (N, rows, columns, channels) uint8, ``labels`` (N,) int64, ``train`` and ``test``,
            numbers of images, int64. Of scenes ``cube`` (rows, columns, bands) and ``ground_truth`` (rows, columns)
            int64, 0 for unlabelled pixels and k for the k-th class name.
        """
        ...


def load(kind: str) -> Kind:
    """The kind called ``kind``; the configuration has checked that there is one."""
    return cast(Kind, plugins.load(FOLDER, kind))


def all_settings() -> Iterator[type[Dataset]]:
    """The settings of all kinds."""
    yield from (load(kind).Settings for kind in plugins.names(FOLDER))


def settings(stated: Mapping[str, Any]) -> Dataset:
    """Settings of a dataset of any kind, as the parameters of jobs state them."""
    return load(stated["kind"]).Settings.model_validate(stated)


def build(settings: Dataset, places: Places, out: Path) -> None:
    """Write a dataset's arrays (``study.datasets.dataset_kind``), its ``class_names`` and its ``title``, as text.

    Raises:
        QuantriftError: when official files are not to be had, are other files, or do not fit the settings.
    """
    arrays = load(settings.kind).arrays(settings, places)
    write_arrays(out, {**arrays, "class_names": np.array(settings.class_names), "title": np.array(settings.title)})
