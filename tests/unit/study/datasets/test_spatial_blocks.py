"""Splits by blocks come near the wanted shares, are drawn by their seed, and name what cannot be split."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.study.datasets.splits import Split, split

NAMES = ["north", "middle", "south"]


def split_of(truth: np.ndarray, patch: int = 9, **settings: float) -> Split:
    wanted = SceneSplit.model_validate({"kind": "spatial_blocks", "test": 0.5, "block": 10} | settings)
    return split(truth[truth > 0] - 1, np.argwhere(truth > 0), patch, wanted, NAMES)


@pytest.fixture
def stripes() -> np.ndarray:
    """Three classes in broad stripes from west to east, all 60x60 pixels labelled."""
    return 1 + np.arange(60)[:, None] // 20 + np.zeros((60, 60), np.int64)


@pytest.mark.parametrize("test", [0.3, 0.5, 0.7])
def test_about_the_wanted_share_of_all_pixels_and_of_each_class_tests(stripes: np.ndarray, test: float) -> None:
    parts = split_of(stripes, test=test)
    assert len(parts.test) / stripes.size == pytest.approx(test, abs=0.03)
    of_class = np.bincount(stripes.ravel()[parts.test] - 1) / 1200
    np.testing.assert_allclose(of_class, test, atol=0.1)


def test_what_neither_trains_nor_tests_is_little_where_blocks_are_broad(stripes: np.ndarray) -> None:
    parts = split_of(stripes, patch=3, test=0.5)
    assert len(parts.train) / stripes.size > 0.4


def test_the_seed_draws_the_blocks(stripes: np.ndarray) -> None:
    one, again, other = (split_of(stripes, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.train, again.train)
    np.testing.assert_array_equal(one.test, again.test)
    assert not np.array_equal(one.test, other.test)


def test_classes_in_two_blocks_each_are_on_both_sides() -> None:
    truth = np.zeros((60, 60), np.int64)
    for label, row in enumerate((0, 25, 50), start=1):
        truth[row : row + 8, [0, 1, 58, 59]] = label
    parts = split_of(truth)
    for part in (parts.train, parts.test):
        assert np.unique(truth[truth > 0][part]).tolist() == [1, 2, 3]
    assert len(parts.train) + len(parts.test) == np.count_nonzero(truth)


def test_a_class_without_pixels_is_no_error(stripes: np.ndarray) -> None:
    parts = split_of(np.where(stripes == 2, 0, stripes))
    assert np.unique(stripes[stripes != 2][parts.train]).tolist() == [1, 3]


def test_a_class_in_one_block_is_named(stripes: np.ndarray) -> None:
    truth = np.where(stripes == 2, 0, stripes)
    truth[31:35, 31:35] = 2
    with pytest.raises(QuantriftError, match="class 'middle' lies in one block of 10x10 pixels") as error:
        split_of(truth)
    assert "\n" not in str(error.value)


def test_a_class_that_patches_hold_together_is_named(stripes: np.ndarray) -> None:
    truth = np.where(stripes == 2, 0, stripes)
    truth[28:32, 28:32] = 2
    with pytest.raises(QuantriftError, match="class 'middle' has no training pixel in blocks of 10x10") as error:
        split_of(truth)
    assert "\n" not in str(error.value)


def test_patches_as_broad_as_the_scene_leave_nothing_to_train(stripes: np.ndarray) -> None:
    with pytest.raises(QuantriftError, match="change block, test or seed"):
        split_of(stripes, patch=119)


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("pavia_university_crop/PaviaU_gt.mat", "paviaU_gt"),
        ("salinas_a/SalinasA_gt.mat", "salinasA_gt"),
        ("ground_truth/PaviaU_gt.mat", "paviaU_gt"),
        ("ground_truth/Salinas_gt.mat", "salinas_gt"),
    ],
)
def test_real_scenes_keep_every_class_on_both_sides_of_broad_patches(file: str, key: str) -> None:
    truth = loadmat(Path(os.environ["QUANTRIFT_MIRROR"]) / "hsi" / file)[key].astype(np.int64)
    labels = truth[truth > 0] - 1
    wanted = SceneSplit(kind="spatial_blocks", test=0.3, block=20)
    parts = split(labels, np.argwhere(truth > 0), 25, wanted, [str(n) for n in range(labels.max() + 1)])
    for part in (parts.train, parts.test):
        np.testing.assert_array_equal(np.unique(labels[part]), np.unique(labels))
    assert len(parts.test) / len(labels) == pytest.approx(0.3, abs=0.05)
