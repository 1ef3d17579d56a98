"""Simulated textures: what each parameter does, and that equal settings give equal images."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.dataset_kind import build
from quantrift.study.datasets.kinds import simulated_textures
from quantrift.study.datasets.official import Places


def settings(classes: int = 10, **changed: Any) -> simulated_textures.Settings:
    names = [f"class {number}" for number in range(classes)]
    return simulated_textures.Settings.model_validate(
        {"kind": "simulated_textures", "title": "Simulated", "class_names": names, "train": 20, "test": 10} | changed
    )


def simulated(classes: int = 10, **changed: Any) -> dict[str, np.ndarray]:
    return simulated_textures.arrays(settings(classes, **changed), Places())


def learned(**changed: Any) -> float:
    """Test accuracy of a linear classifier on mean colours and the power of the lowest frequencies."""
    arrays = simulated(train=60, test=40, **changed)
    grey = arrays["images"].mean(axis=3)
    power = np.log1p(np.abs(np.fft.rfft2(grey))[:, :, :9].reshape(len(grey), -1, 9)[:, np.r_[0:9, -9:0]])
    features = np.concatenate([arrays["images"].mean(axis=(1, 2)), power.reshape(len(grey), -1)], axis=1)
    train, test = arrays["train"], arrays["test"]
    classifier = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(features[train], arrays["labels"][train])
    return float(classifier.score(features[test], arrays["labels"][test]))


def test_images_are_of_the_size_of_cifar_and_use_the_whole_range() -> None:
    images = simulated()["images"]
    assert images.shape == (300, 32, 32, 3)
    assert images.dtype == np.uint8
    assert images.min() < 20
    assert images.max() > 235
    assert 110 < images.mean() < 145


def test_every_part_holds_each_class_equally_often() -> None:
    arrays = simulated(7, train=3, test=2)
    assert arrays["labels"].dtype == np.int64
    for part, each in (("train", 3), ("test", 2)):
        assert np.bincount(arrays["labels"][arrays[part]]).tolist() == [each] * 7
    both = np.concatenate([arrays["train"], arrays["test"]])
    np.testing.assert_array_equal(both, np.arange(35))


def test_equal_settings_give_equal_files_and_another_seed_other_images(tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        build(settings(seed=seed), Places(), tmp_path / f"{name}.npz")
    one, two, other = ((tmp_path / f"{name}.npz").read_bytes() for name in ("one", "two", "other"))
    assert one == two
    assert one != other
    assert not np.array_equal(simulated(seed=3)["images"][0], simulated(seed=4)["images"][0])


def test_more_training_images_change_no_other_image() -> None:
    few, more = simulated(train=2), simulated(train=5)
    np.testing.assert_array_equal(more["images"][:20], few["images"][few["train"]])
    np.testing.assert_array_equal(more["images"][more["test"]], few["images"][few["test"]])


def test_no_two_images_are_equal() -> None:
    images = simulated()["images"].reshape(300, -1)
    assert len(np.unique(images, axis=0)) == len(images)


def test_classes_can_be_learned_but_overlap_the_more_the_further_images_depart_from_them() -> None:
    apart, default, close = learned(overlap=0), learned(), learned(overlap=0.3)
    assert apart > 0.95
    assert 0.5 < default < 0.97
    assert close < default - 0.2


@pytest.mark.slow
def test_noise_and_clutter_hide_the_class() -> None:
    assert learned(noise=0.5) < learned() - 0.05
    assert learned(clutter=3) < learned() - 0.05


def test_noise_has_the_stated_strength() -> None:
    clean, noisy = (simulated(noise=noise)["images"].astype(float) for noise in (0, 0.05))
    assert (noisy - clean).std() == pytest.approx(0.05 * 255, rel=0.03)


def test_without_overlap_images_of_a_class_differ_in_brightness_but_not_in_hue() -> None:
    arrays = simulated(overlap=0, noise=0)
    means = arrays["images"][arrays["labels"] == 0].mean(axis=(1, 2))
    assert means.mean(axis=1).std() > 10
    assert (means - means.mean(axis=1, keepdims=True)).std(axis=0).max() < 3


def test_mirror_images_of_a_class_are_as_frequent_as_the_class() -> None:
    arrays = simulated(2, train=300, overlap=0, clutter=0, noise=0)
    grey = arrays["images"][arrays["train"]].mean(axis=3)
    down, across = np.gradient(grey, axis=(1, 2))
    rising = (down * across).mean(axis=(1, 2)) > 0
    for label in range(2):
        assert rising[arrays["labels"][arrays["train"]] == label].mean() == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("classes", [1, 257])
def test_too_few_or_too_many_classes_are_refused(classes: int) -> None:
    with pytest.raises(QuantriftError, match=f"class_names: {classes} given, .* 2 to 256 classes; change"):
        simulated(classes, train=1, test=1)


@pytest.mark.parametrize("changed", [{"train": 0}, {"overlap": -0.1}, {"noise": -1}, {"contrast": 1}])
def test_settings_that_mean_nothing_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        settings(**changed)
