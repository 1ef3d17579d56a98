"""Inputs of a network: what is taken, in what form, and that files keep it."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.inputs import ImageStack, Inputs, ScenePatches

NONE = np.empty(0, np.int64)


@pytest.fixture
def patches() -> ScenePatches:
    """One patch for every pixel of a 6x5 scene."""
    return ScenePatches(
        dataset="scene",
        title="A scene",
        class_names=["only"],
        labels=np.zeros(30, np.int64),
        train=np.arange(10),
        validation=NONE,
        test=np.arange(10, 30),
        scene=np.random.default_rng(0).normal(size=(6, 5, 3)).astype(np.float32),
        positions=np.argwhere(np.ones((6, 5))),
        patch=5,
    )


@pytest.fixture
def images() -> ImageStack:
    return ImageStack(
        dataset="images",
        title="Images",
        class_names=["first", "second"],
        labels=np.array([0, 1, 1]),
        train=np.array([0, 2]),
        validation=NONE,
        test=np.array([1]),
        images=np.array([0, 51, 255], np.uint8).reshape(3, 1, 1, 1),
    )


def test_patches_equal_naive_cutting_even_at_borders(patches: ScenePatches) -> None:
    padded = np.zeros((10, 9, 3), np.float32)
    padded[2:8, 2:7] = patches.scene
    naive = np.stack([padded[r : r + 5, c : c + 5] for r, c in patches.positions])
    np.testing.assert_array_equal(patches.take(np.arange(30)), naive)


def test_patch_has_its_pixel_in_the_centre(patches: ScenePatches) -> None:
    row, column = patches.positions[17]
    np.testing.assert_array_equal(patches.take([17])[0, 2, 2], patches.scene[row, column])


def test_patches_of_one_block_are_one_cluster_and_images_are_one_each(
    patches: ScenePatches, images: ImageStack
) -> None:
    # Blocks of 5x5 pixels: the sixth row lies in another one.
    assert patches.clusters(np.arange(30)).tolist() == [0] * 25 + [1] * 5
    halves = dataclasses.replace(patches, patch=3)
    blocks = {cluster: halves.positions[halves.clusters(np.arange(30)) == cluster] for cluster in range(4)}
    assert [np.unique(own // 3, axis=0).tolist() for own in blocks.values()] == [[[0, 0]], [[0, 1]], [[1, 0]], [[1, 1]]]
    assert images.clusters([2, 0]).tolist() == [2, 0]


@pytest.mark.parametrize("kind", ["patches", "images"])
def test_taken_inputs_are_contiguous_float32_copies_in_the_asked_order(
    kind: str, request: pytest.FixtureRequest
) -> None:
    inputs: Inputs = request.getfixturevalue(kind)
    taken = inputs.take([2, 0, 2])
    assert taken.dtype == np.float32
    assert taken.shape == (3, *inputs.shape)
    assert taken.flags.c_contiguous
    np.testing.assert_array_equal(taken[1], inputs.take([0])[0])
    taken[:] = 99
    assert inputs.take([2]).max() < 99


@pytest.mark.parametrize("kind", ["patches", "images"])
def test_no_indices_give_no_inputs(kind: str, request: pytest.FixtureRequest) -> None:
    inputs: Inputs = request.getfixturevalue(kind)
    assert inputs.take([]).shape == (0, *inputs.shape)


def test_images_are_scaled_to_the_unit_range(images: ImageStack) -> None:
    np.testing.assert_allclose(images.take([0, 1, 2]).ravel(), [0, 0.2, 1], rtol=1e-7)
    assert images.data_range == (0, 1)


def test_range_of_patches_is_that_of_the_scene(patches: ScenePatches) -> None:
    assert patches.data_range == (patches.scene.min(), patches.scene.max())


@pytest.mark.parametrize("kind", ["patches", "images"])
def test_saved_inputs_are_loaded_unchanged(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    inputs: Inputs = request.getfixturevalue(kind)
    inputs.save(tmp_path / "inputs.npz")
    loaded = Inputs.load(tmp_path / "inputs.npz")
    assert type(loaded) is type(inputs)
    assert len(loaded) == len(inputs)
    for name in vars(inputs):
        kept, given = getattr(loaded, name), getattr(inputs, name)
        assert type(kept) is type(given)
        np.testing.assert_array_equal(kept, given, strict=isinstance(given, np.ndarray))


def test_saving_twice_gives_equal_bytes(patches: ScenePatches, tmp_path: Path) -> None:
    patches.save(tmp_path / "one.npz")
    patches.save(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
