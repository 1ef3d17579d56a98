"""Rotation, zoom, and the surroundings they look at."""

from math import cos, floor, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.base.inputs import ScenePatches
from quantrift.core.search.space import Border, Bordered, Domain, Originals
from quantrift.core.search.spaces.hsi_distortions import Params, bind

seeds = st.integers(0, 2**32 - 1)


def scene_of(rows: int, columns: int, channels: int, patch: int) -> ScenePatches:
    """A scene of distinct values, none of them zero, with an input around every pixel."""
    size = rows * columns * channels
    none = np.empty(0, np.int64)
    return ScenePatches(
        dataset="scene",
        title="Scene",
        class_names=["any"],
        labels=np.zeros(rows * columns, np.int64),
        train=none,
        validation=none,
        test=none,
        scene=np.arange(1, size + 1, dtype=np.float32).reshape(rows, columns, channels),
        positions=np.argwhere(np.ones((rows, columns), bool)),
        patch=patch,
    )


def turned(originals: Originals, angle: float | None = None, factor: float | None = None) -> np.ndarray:
    """All seed inputs, rotated and zoomed."""
    shape = originals.inputs.shape[1:]
    space = bind(Params(distortions=("rotation", "zoom")), Domain(shape, -1, 1))
    vector = np.array([0, angle is not None, 0, 0, angle or 0, factor is not None, 0, 0, factor or 1], np.float32)
    count = len(originals.inputs)
    return space.decode(np.tile(vector, (count, 1)), originals, np.arange(count))


def corners_and_middle(inputs: ScenePatches) -> list[int]:
    rows, columns, _ = inputs.scene.shape
    return [0, columns - 1, (rows - 1) * columns, rows * columns - 1, rows // 2 * columns + columns // 2]


@pytest.mark.parametrize("patch", [1, 5, 7])
def test_a_patch_read_from_the_scene_is_the_patch_itself(patch: int) -> None:
    inputs = scene_of(12, 9, 3, patch)
    indices = corners_and_middle(inputs)
    side = np.arange(patch)
    down, right = np.broadcast_arrays(side[None, :, None], side[None, None, :])
    grid = [np.repeat(one, len(indices), axis=0) for one in (down, right)]
    around = Originals.of(inputs, np.array(indices)).around
    assert around is not None
    found = around.pixels(np.arange(len(indices)), *grid)
    np.testing.assert_array_equal(found, inputs.take(indices))


@given(seed=seeds)
@settings(max_examples=40)
def test_pixels_around_a_patch_come_from_the_scene_and_are_zero_beyond(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = scene_of(int(rng.integers(3, 9)), int(rng.integers(3, 9)), 2, 3)
    indices = corners_and_middle(inputs)
    rows = rng.integers(0, len(indices), 6)
    down, right = rng.integers(-25, 25, (2, 6, 3, 4))
    around = Originals.of(inputs, np.array(indices)).around
    assert around is not None
    found = around.pixels(rows, down, right)
    for k, i, j in np.ndindex(6, 3, 4):
        line, column = inputs.positions[indices[rows[k]]] - 1 + [down[k, i, j], right[k, i, j]]
        inside = 0 <= line < inputs.scene.shape[0] and 0 <= column < inputs.scene.shape[1]
        np.testing.assert_array_equal(found[k, i, j], inputs.scene[line, column] if inside else 0)


@pytest.mark.parametrize(("border", "mode"), [("reflect", "reflect"), ("edge", "edge"), ("zero", "constant")])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 5, 3), (6, 4, 1)])
def test_an_image_goes_on_beyond_its_borders(border: Border, mode: str, shape: tuple[int, int, int]) -> None:
    images = np.random.default_rng(0).normal(size=(2, *shape)).astype(np.float32)
    # Several sizes of the image to every side.
    reach = 3 * max(shape)
    padded = np.pad(images, ((0, 0), (reach, reach), (reach, reach), (0, 0)), mode=mode)  # type: ignore[call-overload]
    down, right = np.indices(padded.shape[1:3]) - reach
    found = Bordered(images, border).pixels(np.array([1, 0]), np.stack([down, down]), np.stack([right, right]))
    np.testing.assert_array_equal(found, padded[[1, 0]])


def reference(inputs: ScenePatches, index: int, angle: float, factor: float) -> np.ndarray:
    """A rotated and zoomed patch, pixel by pixel."""
    row, column = inputs.positions[index]
    half = inputs.patch // 2
    out = np.zeros(inputs.shape, np.float32)
    cosine, sine = cos(radians(angle)) * (1 / factor), sin(radians(angle)) * (1 / factor)
    nearest = half + 0.5
    for down in range(-half, half + 1):
        for right in range(-half, half + 1):
            line = row - half + floor((nearest + cosine * down) + sine * right)
            place = column - half + floor((nearest - sine * down) + cosine * right)
            if 0 <= line < inputs.scene.shape[0] and 0 <= place < inputs.scene.shape[1]:
                out[down + half, right + half] = inputs.scene[line, place]
    return out


@given(angle=st.floats(0, 360, width=32), factor=st.floats(0.3125, 5, width=32), seed=seeds)
@settings(max_examples=60)
def test_rotation_and_zoom_resample_the_scene(angle: float, factor: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = scene_of(int(rng.integers(5, 20)), int(rng.integers(5, 20)), 2, 7)
    indices = corners_and_middle(inputs)
    found = turned(Originals.of(inputs, np.array(indices)), angle, factor)
    for index, one in zip(indices, found, strict=True):
        np.testing.assert_array_equal(one, reference(inputs, index, angle, factor))


@pytest.mark.parametrize("shape", [(7, 7, 3), (6, 6, 1), (5, 8, 2), (1, 1, 1)])
def test_no_rotation_and_no_zoom_are_identities(shape: tuple[int, int, int]) -> None:
    originals = Originals(np.random.default_rng(0).normal(size=(2, *shape)).astype(np.float32))
    for angle, factor in ((0, None), (360, None), (None, 1), (0, 1), (360, 1)):
        np.testing.assert_array_equal(turned(originals, angle, factor), originals.inputs)


@pytest.mark.parametrize("side", [1, 6, 7, 25])
@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_quarter_turns_of_a_square_are_exact(side: int, quarters: int) -> None:
    originals = Originals(np.random.default_rng(0).normal(size=(2, side, side, 3)).astype(np.float32))
    found = turned(originals, 90 * quarters)
    np.testing.assert_array_equal(found, np.rot90(originals.inputs, quarters, axes=(1, 2)))


def test_zooming_in_enlarges_the_centre_and_zooming_out_shows_the_surroundings() -> None:
    inputs = scene_of(30, 30, 1, 9)
    middle = 15 * 30 + 15
    originals = Originals.of(inputs, np.array([middle]))
    [closer] = turned(originals, factor=3)
    np.testing.assert_array_equal(closer, np.repeat(np.repeat(inputs.scene[14:17, 14:17], 3, axis=0), 3, axis=1))
    [farther] = turned(originals, factor=0.5)
    np.testing.assert_array_equal(farther, inputs.scene[7:24:2, 7:24:2])
