"""The space of pixels: seed images decode to themselves, everything else to an image that a file can hold."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories.inputs import images as images_of

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ImageStack
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.pixels import Params, Pixels, bind
from quantrift.core.settings.searches import Tool
from quantrift.study.datasets.kinds import embedded_digits, simulated_textures
from quantrift.study.datasets.official import Places

NAMES = [str(digit) for digit in range(10)]


def stack(images: np.ndarray, black: float = 0, white: float = 1) -> ImageStack:
    ends = [np.array([end], np.float32) for end in (black, white)]
    return images_of(images, names=NAMES, black=ends[0], white=ends[1])


def space_of(inputs: ImageStack, levels: int | None = 256) -> Pixels:
    return bind(Params(levels), Domain.of(inputs))


def assert_seeds_decode_to_themselves(inputs: ImageStack) -> None:
    x = inputs.take(inputs.test)
    decoded = space_of(inputs).decode(x.reshape(len(x), -1), Originals(x), np.arange(len(x)))
    assert decoded.shape == x.shape
    assert decoded.flags.c_contiguous
    assert decoded.tobytes() == x.tobytes()


def test_digits_decode_to_themselves() -> None:
    digits = embedded_digits.Settings(kind="embedded_digits", title="Digits", class_names=NAMES)
    assert_seeds_decode_to_themselves(stack(embedded_digits.arrays(digits, Places())["images"]))


def test_textures_decode_to_themselves() -> None:
    textures = simulated_textures.Settings(
        kind="simulated_textures", title="Textures", class_names=NAMES, train=1, test=20
    )
    assert_seeds_decode_to_themselves(stack(simulated_textures.arrays(textures, Places())["images"]))


@pytest.mark.mirror
def test_mnist_decodes_to_itself() -> None:
    packed = (Path(os.environ["QUANTRIFT_MIRROR"]) / "mnist" / "t10k-images-idx3-ubyte.gz").read_bytes()
    assert_seeds_decode_to_themselves(
        stack(np.frombuffer(gzip.decompress(packed)[16:], np.uint8).reshape(-1, 28, 28, 1))
    )


@given(black=st.floats(-300, 300, width=32), white=st.floats(-300, 300, width=32))
@settings(max_examples=60)
def test_every_level_decodes_to_itself_whatever_black_and_white_are(black: float, white: float) -> None:
    if white - black > 0.01:
        assert_seeds_decode_to_themselves(stack(np.arange(256, dtype=np.uint8).reshape(4, 8, 8, 1), black, white))


@given(seed=st.integers(0, 2**32 - 1), levels=st.sampled_from([2, 3, 16, 256, 65536]))
@settings(max_examples=30)
def test_any_candidate_decodes_to_its_nearest_level_and_stays_there(seed: int, levels: int) -> None:
    space = bind(Params(levels), Domain((3, 4, 2), -2.0, 3.0))
    candidates = np.random.default_rng(seed).uniform(-2, 3, (5, 24)).astype(np.float32)
    nothing = Originals(np.full((1, 3, 4, 2), -2, np.float32))
    before = candidates.copy()
    decoded = space.decode(candidates, nothing, np.zeros(5, int))
    assert candidates.tobytes() == before.tobytes()
    place = (decoded.reshape(5, 24).astype(np.float64) + 2) / 5 * (levels - 1)
    np.testing.assert_allclose(place, np.rint(place), atol=0.02)
    assert np.abs(decoded.reshape(5, 24) - candidates).max() <= 0.5 * 5 / (levels - 1) + 1e-5
    assert space.decode(decoded.reshape(5, 24), nothing, np.zeros(5, int)).tobytes() == decoded.tobytes()
    for row in range(5):
        alone = space.decode(candidates[row : row + 1], nothing, np.zeros(1, int))
        assert alone.tobytes() == decoded[row : row + 1].tobytes()


def test_a_seed_input_off_the_grid_is_refused() -> None:
    x = np.random.default_rng(0).normal(size=(1, 2, 2, 2)).astype(np.float32)
    domain = Domain((2, 2, 2), -3.0, 3.0)
    with pytest.raises(
        QuantriftError, match=r"a seed input has other values than 256 levels from -3 to 3; .* `levels: null`"
    ):
        bind(Params(), domain).decode(x.reshape(1, -1), Originals(x), np.zeros(1, int))
    anything = bind(Params(None), domain)
    assert anything.decode(x.reshape(1, -1), Originals(x), np.zeros(1, int)).tobytes() == x.tobytes()


def test_without_levels_candidates_are_taken_as_they_are() -> None:
    space = bind(Params(None), Domain((3, 4, 2), -2.0, 3.0))
    candidates = space.sample(6, np.random.default_rng(0))
    decoded = space.decode(candidates, Originals(np.zeros((1, 3, 4, 2), np.float32)), np.zeros(6, int))
    assert decoded.tobytes() == candidates.tobytes()
    assert candidates.min() < -1.9
    assert candidates.max() > 2.9


def test_drawn_values_are_all_levels_alike() -> None:
    space = bind(Params(4), Domain((1, 1, 1), 0.0, 3.0))
    values, counts = np.unique(space.values(np.zeros(40_000, int), np.random.default_rng(0)), return_counts=True)
    assert values.tolist() == [0, 1, 2, 3]
    assert np.abs(counts - 10_000).max() < 400


@pytest.mark.parametrize("radius", [8, 8.5, 0.3])
def test_what_lies_around_an_input_is_the_levels_within_the_radius_and_the_range(radius: float) -> None:
    inputs = stack(np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1))
    grid = inputs.take([0]).reshape(-1)
    lower, upper = space_of(inputs).around(grid, radius / 255)
    for level in range(256):
        within = [other for other in range(256) if abs(other - level) <= radius]
        assert (lower[level], upper[level]) == (grid[within[0]], grid[within[-1]])


def test_around_an_input_of_any_values_the_radius_is_a_share_of_the_range() -> None:
    space = bind(Params(None), Domain((1, 1, 3), -10.0, 30.0))
    lower, upper = space.around(np.array([-10, 1, 29], np.float32), 0.1)
    np.testing.assert_allclose(lower, [-10, -3, 25])
    np.testing.assert_allclose(upper, [-6, 5, 30])


def test_nothing_is_switched_on() -> None:
    space = bind(Params(), Domain((2, 2, 1), 0.0, 1.0))
    active = space.active(space.sample(3, np.random.default_rng(0)))
    assert (active.tolist(), active.dtype, space.distortions) == ([0, 0, 0], np.uint32, ())


def test_a_searcher_of_pixels_is_refused_in_another_space() -> None:
    parts = {"constraint": "linf", "objective": "k_uncertainty", "searcher": "diffchaser"}
    assert Tool.model_validate(parts | {"space": "pixels"})
    with pytest.raises(ValueError, match="space: searcher 'diffchaser' needs pixels; name that space"):
        Tool.model_validate(parts | {"space": "hsi_distortions"})


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0)])
def test_images_go_to_levels_of_8_bits_and_back_without_a_change(low: float, high: float) -> None:
    space = bind(Params(), Domain((16, 16, 1), low, high))
    levels = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
    values = space.of_levels(levels)
    assert values.dtype == np.float32
    assert np.array_equal(space.levels(values), levels)
    assert np.array_equal(space.settled(values.reshape(1, -1)), values.reshape(1, -1))
    for other in (None, 16):
        with pytest.raises(QuantriftError, match="levels: 256"):
            bind(Params(other), Domain((16, 16, 1), low, high)).levels(values)
