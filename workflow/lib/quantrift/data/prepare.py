"""A dataset made into the inputs of one network."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantrift.config.errors import QuantriftError
from quantrift.config.networks import ImageNetwork, SceneNetwork
from quantrift.data.arrays import read_arrays
from quantrift.data.inputs import ImageStack, Inputs, ScenePatches
from quantrift.data.splits import split
from quantrift.data.whitening import standardised, whitened


def prepare(source: Path, network: SceneNetwork | ImageNetwork, dataset_id: str, out: Path) -> None:
    """Write what the network sees of a dataset (``quantrift.data.inputs.Inputs``).

    Args:
        source: file that ``quantrift.data.source.build`` wrote.
        network: settings of the network, which say whether it takes a scene or images of which shapes.
        dataset_id: id of the dataset.
        out: .npz file to write.

    Raises:
        QuantriftError: when dataset and network do not fit, or a class is too small for the split.
    """
    prepared(source, network, dataset_id).save(out)


def prepared(source: Path, network: SceneNetwork | ImageNetwork, dataset_id: str) -> Inputs:
    """What ``prepare`` writes."""
    arrays = read_arrays(source)
    if isinstance(network, SceneNetwork):
        return _patches(arrays, network, dataset_id)
    return _images(arrays, network, dataset_id)


def _patches(arrays: dict[str, NDArray[Any]], network: SceneNetwork, dataset_id: str) -> Inputs:
    if "cube" not in arrays:
        raise QuantriftError(
            f"dataset '{dataset_id}' holds images, {network.id} takes scenes; choose a network for images, like lenet5"
        )
    cube, truth = arrays["cube"], arrays["ground_truth"]
    class_names = arrays["class_names"].tolist()
    # Row by row, as HybridSN's public code lists them.
    positions = np.argwhere(truth > 0)
    labels = truth[truth > 0] - 1
    parts = split(labels, positions, network.patch, network.split, class_names)
    fit_on = np.ones(truth.shape, bool)
    if network.pca_fit == "train":
        fit_on = np.zeros(truth.shape, bool)
        fit_on[tuple(positions[parts.train].T)] = True
    components = network.components
    return ScenePatches(
        dataset=dataset_id,
        title=arrays["title"].item(),
        class_names=class_names,
        labels=labels,
        train=parts.train,
        validation=parts.validation,
        test=parts.test,
        scene=standardised(cube, fit_on) if components is None else whitened(cube, components, fit_on),
        positions=positions,
        patch=network.patch,
    )


def _images(arrays: dict[str, NDArray[Any]], network: ImageNetwork, dataset_id: str) -> Inputs:
    if "images" not in arrays:
        raise QuantriftError(
            f"dataset '{dataset_id}' is a scene, {network.id} takes images; choose a network for scenes, like hybridsn"
        )
    images = arrays["images"]
    if images.shape[1:] not in network.shapes:
        takes = " or ".join(map(str, network.shapes))
        raise QuantriftError(
            f"dataset '{dataset_id}' has images of shape {images.shape[1:]}, {network.id} takes {takes}; choose another"
        )
    return ImageStack(
        dataset=dataset_id,
        title=arrays["title"].item(),
        class_names=arrays["class_names"].tolist(),
        labels=arrays["labels"],
        train=arrays["train"],
        validation=np.empty(0, np.int64),
        test=arrays["test"],
        images=images,
    )
