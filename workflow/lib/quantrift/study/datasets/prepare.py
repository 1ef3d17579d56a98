"""Preparation of a dataset as the inputs of one network."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.arrays import read_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ImageStack, Inputs, ScenePatches
from quantrift.core.settings.model_files import ImageInputs
from quantrift.core.settings.networks import ImageNetwork
from quantrift.core.settings.scene_networks import ScenePatchSettings
from quantrift.study.datasets.splits import split
from quantrift.study.datasets.whitening import standardised, whitened

InputSettings = ScenePatchSettings | ImageNetwork | ImageInputs
"""Settings that say how a network wants its inputs: of patches of a scene, or of images."""


def prepare(source: Path, settings: InputSettings, model_id: str, dataset_id: str, out: Path) -> None:
    """Write what a network sees of a dataset (``quantrift.core.base.inputs.Inputs``).

    Args:
        source: file that ``quantrift.study.datasets.source_file.build`` wrote.
        settings: how the network wants its inputs.
        model_id: id of the network, for messages.
        dataset_id: id of the dataset.
        out: .npz file to write.

    Raises:
        QuantriftError: when dataset and network do not fit, or a class is too small for the split.
    """
    prepared(source, settings, model_id, dataset_id).save(out)


def prepared(source: Path, settings: InputSettings, model_id: str, dataset_id: str) -> Inputs:
    """What ``prepare`` writes."""
    arrays = read_arrays(source)
    if isinstance(settings, ScenePatchSettings):
        if "cube" not in arrays:
            raise QuantriftError(
                f"dataset '{dataset_id}' holds images, {model_id} takes scenes; "
                "choose a network for images, like lenet5"
            )
        return _patches(arrays, settings, dataset_id)
    if "images" not in arrays:
        raise QuantriftError(
            f"dataset '{dataset_id}' is a scene, {model_id} takes images; choose a network for scenes, like hybridsn"
        )
    if isinstance(settings, ImageInputs):
        return _images(arrays, settings, dataset_id)
    shape = arrays["images"].shape[1:]
    if shape not in settings.shapes:
        takes = " or ".join(map(str, settings.shapes))
        raise QuantriftError(
            f"dataset '{dataset_id}' has images of shape {shape}, {model_id} takes {takes}; choose another"
        )
    return _images(arrays, ImageInputs(), dataset_id)


def _patches(arrays: dict[str, NDArray[Any]], settings: ScenePatchSettings, dataset_id: str) -> Inputs:
    cube, truth = arrays["cube"], arrays["ground_truth"]
    class_names = arrays["class_names"].tolist()
    # Row by row, as HybridSN's public code lists them.
    positions = np.argwhere(truth > 0)
    labels = truth[truth > 0] - 1
    parts = split(labels, positions, settings.patch, settings.split, class_names)
    fit_on = np.ones(truth.shape, bool)
    if settings.pca_fit == "train":
        fit_on = np.zeros(truth.shape, bool)
        fit_on[tuple(positions[parts.train].T)] = True
    components = settings.components
    scene = standardised(cube, fit_on) if components is None else whitened(cube, components, fit_on)
    if settings.clip is not None:
        scene = scene.clip(-settings.clip, settings.clip)
    return ScenePatches(
        dataset=dataset_id,
        title=arrays["title"].item(),
        class_names=class_names,
        labels=labels,
        train=parts.train,
        validation=parts.validation,
        test=parts.test,
        scene=scene,
        positions=positions,
        patch=settings.patch,
    )


def _images(arrays: dict[str, NDArray[Any]], settings: ImageInputs, dataset_id: str) -> Inputs:
    images = arrays["images"]
    if settings.channels == "bgr":
        images = images[..., ::-1]
    channels = images.shape[-1]
    mean, std = (_per_channel(settings, name, channels, dataset_id) for name in ("mean", "std"))
    return ImageStack(
        dataset=dataset_id,
        title=arrays["title"].item(),
        class_names=arrays["class_names"].tolist(),
        labels=arrays["labels"],
        train=arrays["train"],
        validation=np.empty(0, np.int64),
        test=arrays["test"],
        images=images,
        black=((settings.low - mean) / std).astype(np.float32),
        white=((settings.high - mean) / std).astype(np.float32),
    )


def _per_channel(settings: ImageInputs, name: str, channels: int, dataset_id: str) -> NDArray[np.float64]:
    values = getattr(settings, name) or ({"mean": 0.0, "std": 1.0}[name],) * channels
    if len(values) != channels:
        raise QuantriftError(
            f"inputs.{name} has {len(values)} numbers, images of '{dataset_id}' have {channels} channels; give as many"
        )
    return np.array(values, np.float64)
