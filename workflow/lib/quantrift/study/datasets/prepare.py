"""Preparation of a dataset as the inputs of one network."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from quantrift.core.base.archive import read_arrays
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.inputs import ImageStack, Inputs, ScenePatches
from quantrift.core.settings.model_files import ImageInputs
from quantrift.core.settings.networks import ImageNetwork
from quantrift.core.settings.scene_networks import ScenePatchSettings
from quantrift.study.datasets.splits import split

InputSettings = ScenePatchSettings | ImageNetwork | ImageInputs
"""Settings that say how a network wants its inputs: of patches of a scene, or of images."""


def prepared(source: Path, settings: InputSettings, model_id: str, dataset_id: str) -> Inputs:
    """A dataset as a network sees it.

    Args:
        source: file that ``quantrift.study.datasets.dataset_kind.build`` wrote.
        settings: how the network wants its inputs.
        model_id: id of the network, for messages.
        dataset_id: id of the dataset.

    Raises:
        QuantriftError: when dataset and network do not fit, or a class is too small for the split.
    """
    arrays = read_arrays(source)
    if isinstance(settings, ScenePatchSettings):
        refuse(
            (
                "cube" not in arrays,
                f"dataset '{dataset_id}' holds images, {model_id} takes scenes; "
                "choose a network for images, like lenet5",
            )
        )
        return _patches(arrays, settings, dataset_id)
    refuse(
        (
            "images" not in arrays,
            f"dataset '{dataset_id}' is a scene, {model_id} takes images; choose a network for scenes, like hybridsn",
        )
    )
    shape = arrays["images"].shape[1:]
    if isinstance(settings, ImageNetwork) and shape not in settings.shapes:
        takes = " or ".join(map(str, settings.shapes))
        raise QuantriftError(
            f"dataset '{dataset_id}' has images of shape {shape}, {model_id} takes {takes}; choose another"
        )
    return _images(arrays, settings if isinstance(settings, ImageInputs) else ImageInputs(), dataset_id)


def _patches(arrays: dict[str, NDArray[Any]], settings: ScenePatchSettings, dataset_id: str) -> Inputs:
    cube, truth = arrays["cube"], arrays["ground_truth"]
    class_names = arrays["class_names"].tolist()
    # Row by row, as HybridSN's public code lists them.
    positions = np.argwhere(truth > 0)
    labels = truth[truth > 0] - 1
    parts = split(labels, positions, settings.patch, settings.split, class_names)
    fit_on = np.full(truth.shape, settings.pca_fit != "train")
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
    images = arrays["images"][..., ::-1] if settings.channels == "bgr" else arrays["images"]
    mean, std = (_per_channel(settings, name, images.shape[-1], dataset_id) for name in ("mean", "std"))
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
    refuse(
        (
            len(values) != channels,
            f"inputs.{name} has {len(values)} numbers, images of '{dataset_id}' have {channels} channels; give as many",
        )
    )
    return np.array(values, np.float64)


def standardised(cube: NDArray[Any], fit_on: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Shift and scale each band of a scene for itself (Zhong et al. 2018, public code).

    Args:
        cube: (rows, columns, bands), any numbers.
        fit_on: (rows, columns), True for the pixels on which means and deviations are fitted. On these every band has
            mean 0 and variance 1, or 0 where it is constant.

    Returns:
        (rows, columns, bands) float32.
    """
    return _by_row(cube, StandardScaler().fit(cube[fit_on].astype(np.float64)).transform, cube.shape[2])


# The last bits of matrix products depend on the number of BLAS threads, so it is never taken from the machine.
@threadpool_limits.wrap(limits=1)
def whitened(cube: NDArray[Any], components: int, fit_on: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Project each pixel of a scene on its first principal components.

    Bands are standardised first, so that bright ones do not outweigh the others (the public code of Roy et al. 2020
    takes them as they are). Components come in order of variance, each with its largest loading positive.

    Args:
        cube: (rows, columns, bands), any numbers.
        components: components to keep.
        fit_on: (rows, columns), True for the pixels on which means, deviations and components are fitted. On these
            every component has mean 0 and variance 1, and is uncorrelated with the others.

    Returns:
        (rows, columns, components) float32.

    Raises:
        QuantriftError: when the spectra fitted on span fewer dimensions than components are asked for.
    """
    pixels = cube[fit_on].astype(np.float64)
    scaler = StandardScaler().fit(pixels)
    standard = scaler.transform(pixels)
    if components > (most := min(len(pixels) - 1, cube.shape[2])):
        raise QuantriftError(
            f"components: {components} asked for, but {len(pixels)} pixels of {cube.shape[2]} bands span at most "
            f"{most} dimensions; lower components or enlarge the training share"
        )
    pca = PCA(components, whiten=True, svd_solver="covariance_eigh").fit(standard)
    variances = pca.explained_variance_
    if (span := int(np.count_nonzero(variances > variances[0] * 1e-12))) < components:
        raise QuantriftError(
            f"components: {components} asked for, but the spectra span only {span} dimensions; lower components"
        )
    return _by_row(cube, lambda spectra: pca.transform(scaler.transform(spectra)), components)


def _by_row(
    cube: NDArray[Any], transform: Callable[[NDArray[np.float64]], NDArray[np.float64]], channels: int
) -> NDArray[np.float32]:
    """``transform`` each pixel's spectrum; a row at a time, as a whole scene in 64 bits takes hundreds of megabytes."""
    scene = np.empty((*cube.shape[:2], channels), np.float32)
    for row, spectra in enumerate(cube):
        scene[row] = transform(spectra.astype(np.float64))
    return scene
