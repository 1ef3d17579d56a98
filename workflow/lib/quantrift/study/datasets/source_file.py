"""The dataset as it is published, drawn or embedded: one .npz file that every network's inputs are made from."""

from pathlib import Path

import numpy as np

from quantrift.core.base.arrays import write_arrays
from quantrift.core.settings.datasets import Dataset
from quantrift.study.datasets import dataset_kind
from quantrift.study.datasets.official import Places


def build(settings: Dataset, places: Places, out: Path) -> None:
    """Write a dataset's arrays (``study.datasets.dataset_kind``), its ``class_names`` and its ``title``, as text.

    Raises:
        QuantriftError: when official files are not to be had, are other files, or do not fit the settings.
    """
    arrays = dataset_kind.load(settings.kind).arrays(settings, places)
    write_arrays(out, {**arrays, "class_names": np.array(settings.class_names), "title": np.array(settings.title)})
