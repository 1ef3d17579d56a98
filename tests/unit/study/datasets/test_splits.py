"""Splits of the published scenes, and what they refuse."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.io import loadmat

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.networks import HybridSN
from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.study.datasets.splits import Split, split

PER_CLASS = SceneSplit(kind="per_class", train=0.1, validation=0.1)
OVERALL = SceneSplit(kind="overall", test=0.7)


def pixel_by_pixel(labels: np.ndarray, settings: SceneSplit, class_names: list[str]) -> Split:
    """A split for which the place of a pixel does not matter."""
    return split(labels, np.zeros((len(labels), 2), np.int64), 25, settings, class_names)


@pytest.fixture
def published_labels() -> Callable[[str], np.ndarray]:
    mirror = os.environ.get("QUANTRIFT_MIRROR")
    if not mirror:
        pytest.skip("QUANTRIFT_MIRROR is not set")

    def labels(scene: str) -> np.ndarray:
        content = loadmat(Path(mirror) / "hsi" / "ground_truth" / f"{scene}_gt.mat")
        [truth] = [value for name, value in content.items() if not name.startswith("__")]
        return truth[truth > 0].astype(np.int64) - 1

    return labels


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("scene", "settings", "sizes"),
    [
        ("PaviaU", PER_CLASS, (4281, 4281, 34214)),
        ("Salinas", PER_CLASS, (5418, 5418, 43293)),
        ("PaviaU", OVERALL, (12832, 0, 29944)),
        ("Salinas", OVERALL, (16238, 0, 37891)),
    ],
)
def test_published_scenes_split_as_in_table_2_of_diverget(
    published_labels: Callable[[str], np.ndarray], scene: str, settings: SceneSplit, sizes: tuple[int, int, int]
) -> None:
    labels = published_labels(scene)
    parts = pixel_by_pixel(labels, settings, [str(n) for n in range(labels.max() + 1)])
    assert (len(parts.train), len(parts.validation), len(parts.test)) == sizes


def test_another_seed_draws_other_inputs_and_the_same_seed_the_same() -> None:
    labels = np.repeat(np.arange(3), 40)
    settings = [SceneSplit(kind="overall", test=0.5, seed=seed) for seed in (1, 1, 2)]
    draw = [pixel_by_pixel(labels, one, list("abc")).test for one in settings]
    np.testing.assert_array_equal(draw[0], draw[1])
    assert not np.array_equal(draw[0], draw[2])


def test_shares_are_the_decimals_that_were_written() -> None:
    labels = np.zeros(100, np.int64)
    parts = pixel_by_pixel(labels, SceneSplit(kind="overall", test=0.07), ["only"])
    assert len(parts.test) == 7


def test_a_class_without_inputs_is_no_error() -> None:
    parts = pixel_by_pixel(np.repeat([0, 2], 20), PER_CLASS, ["here", "absent", "there"])
    assert [len(parts.train), len(parts.validation), len(parts.test)] == [4, 4, 32]


@pytest.mark.parametrize(("settings", "members"), [(PER_CLASS, 2), (OVERALL, 1)])
def test_a_class_too_small_for_every_part_is_named(settings: SceneSplit, members: int) -> None:
    labels = np.repeat([0, 1], [40, members])
    with pytest.raises(QuantriftError, match=f"class 'rare' has {members} labelled inputs"):
        pixel_by_pixel(labels, settings, ["common", "rare"])


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "overall"},
        {"kind": "overall", "test": 0.7, "train": 0.3},
        {"kind": "per_class", "train": 0.1},
        {"kind": "overall", "test": 0.7, "block": 10},
        {"kind": "spatial_blocks", "test": 0.5},
        {"kind": "spatial_blocks", "block": 10, "train": 0.5},
    ],
)
def test_shares_that_do_not_fit_the_kind_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=r"kind .* takes"):
        SceneSplit.model_validate(settings)


@pytest.mark.parametrize("block", [0, -3])
def test_a_block_without_pixels_is_refused(block: int) -> None:
    with pytest.raises(ValidationError, match="block"):
        SceneSplit(kind="spatial_blocks", test=0.5, block=block)


def test_a_patch_without_a_central_pixel_is_refused() -> None:
    with pytest.raises(ValidationError, match="odd"):
        HybridSN(patch=24)
