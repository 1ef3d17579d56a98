"""The spectrum of a scene as networks see it: all bands standardised, or a few whitened principal components."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from quantrift.core.base.errors import QuantriftError


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
    most = min(len(pixels) - 1, cube.shape[2])
    if components > most:
        raise QuantriftError(
            f"components: {components} asked for, but {len(pixels)} pixels of {cube.shape[2]} bands span at most "
            f"{most} dimensions; lower components or enlarge the training share"
        )
    pca = PCA(components, whiten=True, svd_solver="covariance_eigh").fit(standard)
    variances = pca.explained_variance_
    span = int(np.count_nonzero(variances > variances[0] * 1e-12))
    if span < components:
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
