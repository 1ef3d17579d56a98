"""The seven operators of TriggerFinder, against the same arithmetic written down once more, and OpenCV itself."""

import cv2
import numpy as np
import pytest

from quantrift.core.search import image_operators
from quantrift.core.search.image_operators import OPERATORS, Operator

SHAPES = [(28, 28, 1), (14, 12, 3)]


def images(shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(3)
    drawn = rng.integers(256, size=(60, *shape)).astype(np.uint8)
    # Like digits: much of it at the ends of the range.
    drawn[rng.random(drawn.shape) < 0.3] = 0
    drawn[rng.random(drawn.shape) < 0.3] = 255
    return drawn


def cast(value: float) -> int:
    """To 8 bits: towards zero, then modulo 256."""
    return int(value) % 256


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_makes_a_new_image_of_the_same_kind(operator: Operator, shape: tuple[int, ...]) -> None:
    changed = 0
    for seed, image in enumerate(images(shape)):
        before = image.copy()
        mutated = operator(image, np.random.default_rng(seed))
        assert (mutated.shape, mutated.dtype) == (image.shape, np.uint8)
        assert np.array_equal(image, before)
        assert not np.shares_memory(mutated, image)
        assert np.array_equal(mutated, operator(image, np.random.default_rng(seed)))
        changed += not np.array_equal(mutated, image)
    assert changed > 20


@pytest.mark.parametrize("shape", SHAPES)
def test_additive_noise_is_truncated_and_wraps(shape: tuple[int, ...]) -> None:
    wrapped = 0
    for seed, image in enumerate(images(shape)):
        mutated = image_operators.additive_noise(image, np.random.default_rng(seed))
        noise = 0.1**0.5 * np.random.default_rng(seed).standard_normal(shape)
        for value, add, result in zip(image.ravel().tolist(), noise.ravel(), mutated.ravel().tolist(), strict=True):
            assert result == cast(value + add)
            wrapped += abs(result - value) > 200
    assert wrapped


@pytest.mark.parametrize("shape", SHAPES)
def test_multiplicative_noise_is_truncated_and_wraps(shape: tuple[int, ...]) -> None:
    wrapped, means = 0, []
    for seed, image in enumerate(images(shape)):
        mutated = image_operators.multiplicative_noise(image, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        mean, normal = rng.random() - 0.5, rng.standard_normal(shape)
        noise = mean + (0.05 * rng.random()) ** 0.5 * normal
        means.append(mean)
        expected = [cast(value + value * n) for value, n in zip(image.ravel().tolist(), noise.ravel(), strict=True)]
        # The square root may differ in its last bit.
        assert np.mean(mutated.ravel() == expected) > 0.999
        wrapped += int(((image + image * noise) >= 256).sum())
    assert wrapped
    assert min(means) < -0.4
    assert max(means) > 0.4


def test_salt_and_pepper_set_as_many_values_to_each_end_of_the_range() -> None:
    grey = np.full((50, 40, 3), 100, np.uint8)
    counts = []
    for seed in range(50):
        mutated = image_operators.salt_and_pepper(grey, np.random.default_rng(seed))
        assert set(np.unique(mutated)) == {0, 100, 255}
        counts.append([(mutated == value).sum() for value in (255, 0)])
    # 0.4 % of 6000 values; fewer where places repeat or pepper falls on salt.
    assert np.max(counts) == 12
    assert np.min(counts) >= 9
    digit = np.full((28, 28, 1), 100, np.uint8)
    assert (image_operators.salt_and_pepper(digit, np.random.default_rng(0)) != 100).sum() == 4


def test_a_change_of_pixels_sets_none_to_nine_values_to_any() -> None:
    grey = np.full((60, 60, 1), 77, np.uint8)
    mutated = [image_operators.pixel_change(grey, np.random.default_rng(seed)) for seed in range(300)]
    assert {int((one != 77).sum()) for one in mutated} == set(range(10))
    values = np.concatenate([one[one != 77] for one in mutated])
    assert values.min() < 5
    assert values.max() > 250


@pytest.mark.parametrize("shape", SHAPES)
def test_blurs_are_those_of_opencv(shape: tuple[int, ...]) -> None:
    odd = (1, 3, 5, 7)
    blurs = {
        "box_blur": lambda image: [cv2.blur(image, (side, side)) for side in range(1, 6)],
        "gaussian_blur": lambda image: [cv2.GaussianBlur(image, (side, side), 0) for side in odd],
        "median_blur": lambda image: [cv2.medianBlur(image, side) for side in odd],
    }
    for name, of in blurs.items():
        used: set[int] = set()
        for seed, image in enumerate(images(shape)):
            mutated = getattr(image_operators, name)(image, np.random.default_rng(seed))
            same = [k for k, one in enumerate(of(image)) if one.tobytes() == mutated.tobytes()]
            assert len(same) == 1
            used |= set(same)
        assert used == set(range(len(of(images(shape)[0]))))
