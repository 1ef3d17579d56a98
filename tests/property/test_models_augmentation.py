"""Augmented images are the images, mirrored or shifted."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.networks.training.augmentation import MARGIN, augmented

numbers = st.integers(0, 2**32 - 1)


def images(seed: int, number: int = 20) -> np.ndarray:
    return np.random.default_rng(seed).random((number, 12, 10, 3), np.float32) + np.float32(0.1)


@given(seed=numbers)
def test_nothing_asked_for_changes_and_draws_nothing(seed: int) -> None:
    rng, fresh = (np.random.default_rng(seed) for _ in range(2))
    x = images(seed)
    assert augmented(x, (), rng) is x
    assert rng.random() == fresh.random()


@given(seed=numbers)
def test_each_image_is_itself_or_its_mirror_image(seed: int) -> None:
    x = images(seed)
    y = augmented(x, ("mirror",), np.random.default_rng(seed))
    same, mirrored = (x == y).all(axis=(1, 2, 3)), (x[:, :, ::-1] == y).all(axis=(1, 2, 3))
    assert (same ^ mirrored).all()


@settings(max_examples=30)
@given(seed=numbers)
def test_each_image_is_shifted_by_itself_and_black_comes_in(seed: int) -> None:
    x = images(seed, 5)
    y = augmented(x, ("shift",), np.random.default_rng(seed))
    assert y.shape == x.shape
    assert y.dtype == np.float32
    padded = np.pad(x, ((0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)))
    places = range(2 * MARGIN + 1)
    for one, around in zip(y, padded, strict=True):
        fits = [(r, c) for r in places for c in places if (around[r : r + 12, c : c + 10] == one).all()]
        assert len(fits) == 1


@given(seed=numbers)
def test_the_generator_decides_everything(seed: int) -> None:
    x = images(seed)
    one, other = (augmented(x, ("mirror", "shift"), np.random.default_rng(seed)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_both_halves_and_all_shifts_occur() -> None:
    x = images(0, 2000)
    mirrored = (augmented(x, ("mirror",), np.random.default_rng(0)) != x).any(axis=(1, 2, 3))
    assert 0.45 < mirrored.mean() < 0.55
    shifted = augmented(x, ("shift",), np.random.default_rng(0))
    empty_rows = (shifted == 0).all(axis=(2, 3)).sum(axis=1)
    assert set(empty_rows) == set(range(MARGIN + 1))
