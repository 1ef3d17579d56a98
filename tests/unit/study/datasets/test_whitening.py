"""Standardised bands and whitened principal components of a scene."""

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.prepare import standardised, whitened


@pytest.fixture
def cube() -> np.ndarray:
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(20, 30, 8)) @ rng.normal(size=(8, 12)) + 0.1 * rng.normal(size=(20, 30, 12))
    return (1000 + 100 * mixed).astype(np.int16)


@pytest.fixture
def some() -> np.ndarray:
    return np.random.default_rng(1).random((20, 30)) < 0.3


def test_components_are_white_on_the_pixels_they_are_fitted_on(cube: np.ndarray, some: np.ndarray) -> None:
    fitted = whitened(cube, 5, some)[some].astype(np.float64)
    np.testing.assert_allclose(fitted.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(np.cov(fitted.T), np.eye(5), atol=1e-4)


def test_every_pixel_is_projected_in_32_bits(cube: np.ndarray, some: np.ndarray) -> None:
    scene = whitened(cube, 5, some)
    assert scene.shape == (20, 30, 5)
    assert scene.dtype == np.float32
    assert np.isfinite(scene).all()


def test_other_pixels_do_not_move_the_fit(cube: np.ndarray, some: np.ndarray) -> None:
    changed = np.where(some[..., None], cube, 0)
    np.testing.assert_array_equal(whitened(cube, 5, some)[some], whitened(changed, 5, some)[some])


def test_fitting_twice_gives_equal_bytes(cube: np.ndarray, some: np.ndarray) -> None:
    assert whitened(cube, 5, some).tobytes() == whitened(cube.copy(), 5, some.copy()).tobytes()


def test_scale_and_offset_of_a_band_do_not_matter(cube: np.ndarray, some: np.ndarray) -> None:
    rescaled = cube * np.linspace(1, 9, 12) + np.arange(12)
    np.testing.assert_allclose(whitened(rescaled, 5, some), whitened(cube, 5, some), atol=1e-4)


def test_a_constant_band_is_harmless(cube: np.ndarray, some: np.ndarray) -> None:
    cube[..., 3] = 7
    assert np.isfinite(whitened(cube, 5, some)).all()


def test_more_components_than_bands_or_pixels_are_refused(cube: np.ndarray, some: np.ndarray) -> None:
    few = np.zeros_like(some)
    few[0, :4] = True
    with pytest.raises(QuantriftError, match="at most 12 dimensions"):
        whitened(cube, 13, some)
    with pytest.raises(QuantriftError, match="at most 3 dimensions"):
        whitened(cube, 5, few)


def test_more_components_than_the_spectra_span_are_refused(cube: np.ndarray, some: np.ndarray) -> None:
    with pytest.raises(QuantriftError, match="span only 4 dimensions"):
        whitened(np.tile(cube[..., :4], 3), 5, some)


def test_bands_are_standard_on_the_pixels_they_are_fitted_on(cube: np.ndarray, some: np.ndarray) -> None:
    scene = standardised(cube, some)
    assert scene.shape == cube.shape
    assert scene.dtype == np.float32
    np.testing.assert_allclose(scene[some].mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(scene[some].std(axis=0), 1, atol=1e-5)
    changed = np.where(some[..., None], cube, 0)
    np.testing.assert_array_equal(scene[some], standardised(changed, some)[some])


def test_a_constant_band_is_standardised_to_zero(cube: np.ndarray, some: np.ndarray) -> None:
    cube[..., 3] = 7
    assert not standardised(cube, some)[..., 3].any()
