"""Simulated scenes: what each parameter does, and that equal settings give equal scenes."""

from typing import Any

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.kinds import simulated_scene
from quantrift.study.datasets.official import Places


def simulated(classes: int = 6, **changed: Any) -> dict[str, np.ndarray]:
    names = [f"class {n}" for n in range(1, classes + 1)]
    settings = {"kind": "simulated_scene", "title": "Simulated", "class_names": names, "bands": 40, **changed}
    return simulated_scene.arrays(simulated_scene.Settings.model_validate(settings), Places())


def mean_spectra(arrays: dict[str, np.ndarray]) -> np.ndarray:
    truth = arrays["ground_truth"]
    return np.stack([arrays["cube"][truth == k].mean(axis=0) for k in range(1, truth.max() + 1)])


def spread(spectra: np.ndarray) -> float:
    return float(spectra.std(axis=0).mean())


def test_equal_settings_give_equal_scenes_and_another_seed_another_one() -> None:
    first, again, other = simulated(seed=3), simulated(seed=3), simulated(seed=4)
    for name, array in first.items():
        np.testing.assert_array_equal(array, again[name], strict=True)
        assert not np.array_equal(array, other[name])


def test_cube_is_of_the_stated_size_and_positive_16_bit_radiance() -> None:
    arrays = simulated(height=40, width=50)
    assert arrays["cube"].shape == (40, 50, 40)
    assert arrays["cube"].dtype == np.uint16
    assert arrays["cube"].min() >= 1
    assert arrays["cube"].mean() == pytest.approx(1500, rel=0.02)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("classes", [9, 16])
def test_every_class_of_a_demo_scene_has_thirty_labelled_pixels(classes: int, seed: int) -> None:
    truth = simulated(classes, seed=seed)["ground_truth"]
    assert np.bincount(truth.ravel(), minlength=classes + 1)[1:].min() >= 30


def test_the_stated_share_of_pixels_is_labelled() -> None:
    truth = simulated(labelled=0.25)["ground_truth"]
    assert np.count_nonzero(truth) / truth.size == pytest.approx(0.25, abs=0.002)


def test_larger_fields_have_fewer_borders() -> None:
    def borders(size: float) -> int:
        truth = simulated(field_size=size, labelled=1)["ground_truth"]
        return int(np.count_nonzero(np.diff(truth, axis=0)) + np.count_nonzero(np.diff(truth, axis=1)))

    assert borders(3) > 1.5 * borders(6) > 2 * borders(12)


def test_similar_classes_have_closer_spectra() -> None:
    near, far = (spread(mean_spectra(simulated(similarity=value))) for value in (0.9, 0.5))
    assert near < 0.5 * far


def test_wholly_similar_classes_differ_by_light_alone() -> None:
    cube = simulated(similarity=1, noise=0)["cube"].astype(float)
    shapes = cube / cube.mean(axis=2, keepdims=True)
    np.testing.assert_allclose(shapes, np.broadcast_to(shapes[0, 0], shapes.shape), rtol=0.01)


def test_mixing_draws_the_means_of_classes_together() -> None:
    assert spread(mean_spectra(simulated(mixing=0.5))) < spread(mean_spectra(simulated(mixing=0)))


def test_unmixed_pixels_of_a_class_differ_by_light_alone() -> None:
    arrays = simulated(mixing=0, noise=0)
    pixels = arrays["cube"][arrays["ground_truth"] == 1].astype(float)
    shapes = pixels / pixels.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(shapes, np.broadcast_to(shapes[0], shapes.shape), rtol=0.01)


def test_noise_has_the_stated_strength_and_grows_towards_the_ends_of_the_spectrum() -> None:
    clean, noisy = simulated(noise=0)["cube"].astype(float), simulated(noise=0.05)["cube"].astype(float)
    deviation = (noisy - clean).std(axis=(0, 1))
    assert np.sqrt(np.mean(deviation**2)) == pytest.approx(0.05 * 1500, rel=0.03)
    assert deviation[0] > 2 * deviation[20] < deviation[-1]


def test_one_class_is_refused() -> None:
    with pytest.raises(QuantriftError, match="at least two"):
        simulated(1)


def test_the_stated_share_of_pixels_mirrors_the_sun_and_no_other_pixel_changes() -> None:
    plain, mirrored = (simulated(noise=0, glints=share)["cube"].astype(float) for share in (0, 0.05))
    ratio = mirrored / plain
    hit = np.any(np.abs(ratio - 1) > 0.01, axis=2)
    assert hit.mean() == pytest.approx(0.05, abs=0.02)
    assert (ratio[hit] > 1.9).all()
    assert (ratio[hit] < 5.1).all()
    np.testing.assert_array_equal(mirrored[~hit], plain[~hit])
