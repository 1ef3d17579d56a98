"""The dataset as it is published, drawn or embedded: one .npz file that every network's inputs are made from."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantrift.config.datasets import (
    AnyDataset,
    CifarArchive,
    EmbeddedDigits,
    IdxImages,
    NpzImages,
    Scene,
    SimulatedScene,
    SimulatedTextures,
)
from quantrift.data.arrays import write_arrays
from quantrift.data.cifar import cifar_archive
from quantrift.data.digits import embedded_digits
from quantrift.data.idx import idx_images
from quantrift.data.npz import npz_images
from quantrift.data.official import Places
from quantrift.data.scene import scene
from quantrift.data.simulated import simulated_scene
from quantrift.data.textures import simulated_textures


def build(settings: AnyDataset, places: Places, out: Path) -> None:
    """Write a dataset's arrays.

    Images: ``images`` (N, rows, columns, channels) uint8, ``labels`` (N,) int64, ``train`` and ``test`` int64.
    Scenes: ``cube`` (rows, columns, bands), ``ground_truth`` (rows, columns) int64 with 0 for unlabelled pixels.
    Both: ``class_names`` and ``title``, text.

    Raises:
        QuantriftError: when official files are not to be had, are other files, or do not fit the settings.
    """
    arrays = _arrays(settings, places)
    write_arrays(out, {**arrays, "class_names": np.array(settings.class_names), "title": np.array(settings.title)})


def _arrays(settings: AnyDataset, places: Places) -> dict[str, NDArray[Any]]:
    match settings:
        case IdxImages():
            return idx_images(settings, places)
        case NpzImages():
            return npz_images(settings, places)
        case CifarArchive():
            return cifar_archive(settings, places)
        case Scene():
            return scene(settings, places)
        case EmbeddedDigits():
            return embedded_digits(settings)
        case SimulatedScene():
            return simulated_scene(settings)
        case SimulatedTextures():
            return simulated_textures(settings)
