"""Hyperspectral scenes as they are published: a cube and a ground truth in MATLAB files."""

from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.io import loadmat

from quantrift.core.base.errors import QuantriftError, check_name, reading, refuse
from quantrift.core.settings.datasets import Dataset, SourceFile
from quantrift.study.datasets.official import Places, official


class Settings(Dataset):
    """A hyperspectral cube and its ground truth, each one variable of a .mat file."""

    scene: ClassVar[bool] = True
    cube: SourceFile
    ground_truth: SourceFile
    labelled: Annotated[int | None, Field(ge=1, exclude=True)] = None
    """Labelled pixels, for `quantrift plan`; counted by nobody where not given."""

    @property
    def labelled_pixels(self) -> int | None:
        """As stated."""
        return self.labelled


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``cube`` (rows, columns, bands), integers as published or float32, and ``ground_truth`` (rows, columns).

    The ground truth is int64; 0 is unlabelled and k is the k-th class name, whether or not it occurs.

    Raises:
        QuantriftError: for missing, damaged or unsuitable files, each with what to do.
    """
    cube = _variable(settings.cube, places, dimensions=3)
    if not np.issubdtype(cube.dtype, np.integer):
        with np.errstate(over="ignore", invalid="ignore"):
            cube = cube.astype(np.float32)
        if not np.isfinite(cube).all():
            raise QuantriftError(
                f"{settings.cube.path}: {np.count_nonzero(~np.isfinite(cube))} values are not finite in 32 bits; "
                "replace them, for example by the mean of their band"
            )
    truth = _variable(settings.ground_truth, places, dimensions=2)
    if truth.shape != cube.shape[:2]:
        raise QuantriftError(
            f"{settings.ground_truth.path}: {truth.shape[0]}x{truth.shape[1]} labels for a scene of "
            f"{cube.shape[0]}x{cube.shape[1]} pixels; name the ground truth of {settings.cube.path}"
        )
    classes = len(settings.class_names)
    unknown = truth[~np.isin(truth, np.arange(classes + 1))]
    if len(unknown):
        raise QuantriftError(
            f"{settings.ground_truth.path}: holds label {unknown[0]}, but {classes} class names are given; "
            "name every class, in the order of its number"
        )
    refuse((not truth.any(), f"{settings.ground_truth.path}: no pixel has a label; name another variable by its key"))
    return {"cube": cube, "ground_truth": truth.astype(np.int64)}


def _variable(file: SourceFile, places: Places, dimensions: int) -> NDArray[Any]:
    """The array of numbers a .mat file holds under the configured key, or its only variable."""
    path = official(places, file)
    # Its digest was checked, so it is the file that was named, and not one that was made to harm its reader.
    with reading(path, "not a MATLAB 5 file", "save it with '-v6' or '-v7', or fetch it again"):
        found = {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
    key = file.key or (next(iter(found)) if len(found) == 1 else "")
    check_name(f"{path}: has no variable '{key}'", key, found)
    value = found[key]
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iuf":
        raise QuantriftError(f"{path}: variable '{key}' holds no real numbers; name another variable by its key")
    if value.ndim != dimensions:
        raise QuantriftError(
            f"{path}: variable '{key}' is of shape {value.shape}, not numbers in {dimensions} dimensions; "
            "name another variable by its key"
        )
    return value.astype(value.dtype.newbyteorder("="))
