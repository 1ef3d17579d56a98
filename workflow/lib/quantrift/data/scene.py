"""Hyperspectral scenes as they are published: a cube and a ground truth in MATLAB files."""

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from quantrift.config.datasets import Scene, SourceFile
from quantrift.config.errors import QuantriftError, nearest
from quantrift.data.mirror import official


def scene(settings: Scene, mirror: Path | None) -> dict[str, NDArray[Any]]:
    """Arrays ``cube`` (rows, columns, bands), integers as published or float32, and ``ground_truth`` (rows, columns).

    The ground truth is int64; 0 is unlabelled and k is the k-th class name, whether or not it occurs.

    Raises:
        QuantriftError: for missing, damaged or unsuitable files, each with what to do.
    """
    cube = _variable(settings.cube, mirror, dimensions=3)
    if not np.issubdtype(cube.dtype, np.integer):
        with np.errstate(over="ignore"):
            cube = cube.astype(np.float32)
        if not np.isfinite(cube).all():
            raise QuantriftError(
                f"{settings.cube.path}: {np.count_nonzero(~np.isfinite(cube))} values are not finite in 32 bits; "
                "replace them, for example by the mean of their band"
            )
    truth = _variable(settings.ground_truth, mirror, dimensions=2)
    if truth.shape != cube.shape[:2]:
        raise QuantriftError(
            f"{settings.ground_truth.path}: {truth.shape[0]}x{truth.shape[1]} labels for a scene of "
            f"{cube.shape[0]}x{cube.shape[1]} pixels; name the ground truth of {settings.cube.path}"
        )
    classes = len(settings.class_names)
    known = np.isin(truth, np.arange(classes + 1))
    if not known.all():
        raise QuantriftError(
            f"{settings.ground_truth.path}: holds label {truth[~known][0]}, but {classes} class names are given; "
            "name every class, in the order of its number"
        )
    if not truth.any():
        raise QuantriftError(f"{settings.ground_truth.path}: no pixel has a label; name another variable by its key")
    return {"cube": cube, "ground_truth": truth.astype(np.int64)}


def _variable(file: SourceFile, mirror: Path | None, dimensions: int) -> NDArray[Any]:
    """The array of numbers a .mat file holds under the configured key, or its only variable."""
    path = official(mirror, file)
    try:
        content = loadmat(path)
    except (LookupError, MatReadError, NotImplementedError, OSError, TypeError, ValueError, zlib.error) as error:
        reason = str(error).partition("\n")[0]
        raise QuantriftError(f"{path}: not a MATLAB 5 file ({reason}); save it with '-v6' or '-v7'") from None
    variables = {name: value for name, value in content.items() if not name.startswith("__")}
    key = file.key or (next(iter(variables)) if len(variables) == 1 else "")
    if key not in variables:
        raise QuantriftError(f"{path}: has no variable '{key}'; {nearest(key, variables)}")
    value = variables[key]
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iuf" or value.ndim != dimensions:
        raise QuantriftError(
            f"{path}: variable '{key}' is {getattr(value, 'dtype', type(value).__name__)} of shape "
            f"{getattr(value, 'shape', ())}, not numbers in {dimensions} dimensions; name another variable by its key"
        )
    return value
