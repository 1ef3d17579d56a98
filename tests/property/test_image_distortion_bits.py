"""Distortions of images equal their definitions, computed plainly, bit for bit."""

from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.search.distortions import image_distortion
from quantrift.core.search.distortions.genes import PATTERN, Setting
from quantrift.core.search.distortions.image_distortion import Batch
from quantrift.core.search.distortions.images import blur, noise
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import image_distortions
from quantrift.core.search.spaces.image_distortions import Params, bind

shapes = st.tuples(st.integers(1, 14), st.integers(1, 14), st.sampled_from([1, 3, 4]))
counts = st.integers(1, 5)
seeds = st.integers(0, 2**32 - 1)


def images_of(shape: tuple[int, int, int], count: int, rng: np.random.Generator) -> np.ndarray:
    """Of 8 bits, about zero, so that zeros and values of both signs are among them."""
    return (rng.integers(-128, 128, (count, *shape)) / np.float32(128)).astype(np.float32)


def looked_up(images: np.ndarray, matrix: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """One image after the other, by its four neighbours."""
    found = np.empty_like(images)
    _, height, width, _ = images.shape
    y, x = np.meshgrid(np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij")
    for image, ((yy, yx), (xy, xx)), (down, right), out in zip(images, matrix, shift, found, strict=True):
        lines = np.clip(yy * (y - down) + yx * (x - right) + (height - 1) / 2, 0, height - 1)
        columns = np.clip(xx * (x - right) + xy * (y - down) + (width - 1) / 2, 0, width - 1)
        line, column = lines.astype(int), columns.astype(int)
        lower_share = (lines - line).astype(np.float32)[..., None]
        right_share = (columns - column).astype(np.float32)[..., None]
        below, beside = np.minimum(line + 1, height - 1), np.minimum(column + 1, width - 1)
        upper = image[line, column] + (image[line, beside] - image[line, column]) * right_share
        lower = image[below, column] + (image[below, beside] - image[below, column]) * right_share
        out[:] = upper + (lower - upper) * lower_share
    return found


@given(shape=shapes, count=counts, seed=seeds, turned=st.booleans())
@settings(max_examples=80)
def test_images_are_moved_by_their_four_neighbours(
    shape: tuple[int, int, int], count: int, seed: int, turned: bool
) -> None:
    rng = np.random.default_rng(seed)
    images = images_of(shape, count, rng)
    matrix = np.eye(2)[None] / rng.uniform(0.5, 2, (count, 1, 1))
    if turned:
        matrix = matrix * image_distortion.turns(rng.uniform(-45, 45, count).tolist()) / np.maximum(np.eye(2), 0.5)
    shift = rng.normal(0, 3, (count, 2))
    expected = looked_up(images, matrix, shift)
    given_images = images.copy()
    assert image_distortion.moved(images, matrix, shift).tobytes() == expected.tobytes()
    assert np.array_equal(images, given_images)


def blurred(image: np.ndarray, sigma: float) -> np.ndarray:
    """Weighted sums of lines, then of columns, from the first neighbour to the last."""
    taps = [exp(-(step**2) / (2 * max(sigma, 1e-3) ** 2)) for step in range(-blur.REACH, blur.REACH + 1)]
    weights = np.array([tap / sum(taps) for tap in taps], np.float32)
    for axis in (0, 1):
        steps = [(blur.REACH, blur.REACH) if one == axis else (0, 0) for one in range(3)]
        wide = np.pad(image, steps, mode="edge")
        size = image.shape[axis]
        image = np.zeros_like(image)
        for place, weight in enumerate(weights):
            image += weight * wide.take(np.arange(place, place + size), axis=axis)
    return image


@given(shape=shapes, count=counts, seed=seeds, together=st.sampled_from([1, 50, 2**16]))
@settings(max_examples=80)
def test_a_blur_is_the_weighted_sum_of_neighbours_however_many_values_are_computed_at_once(
    shape: tuple[int, int, int], count: int, seed: int, together: int
) -> None:
    rng = np.random.default_rng(seed)
    images = images_of(shape, count, rng)
    sigmas = rng.uniform(0, 2, (count, 1)).astype(np.float32)
    expected = np.stack([blurred(image, sigma) for image, [sigma] in zip(images, sigmas.tolist(), strict=True)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blur, "TOGETHER", together)
        given_batch = batch(images, sigmas)
        blur.bind(Setting(shape)).apply(given_batch)
    assert given_batch.images.tobytes() == expected.tobytes()


@given(shape=shapes, count=counts, seed=seeds)
@settings(max_examples=40)
def test_noise_is_the_pattern_of_its_number(shape: tuple[int, int, int], count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    images = images_of(shape, count, rng)
    genes = np.stack([rng.uniform(0, 0.25, count), rng.integers(0, int(PATTERN.upper), count)], axis=1).astype(
        np.float32
    )
    expected = [
        image + deviation * np.random.Generator(np.random.PCG64(int(number))).standard_normal(shape, np.float32)
        for image, (deviation, number) in zip(images, genes, strict=True)
    ]
    given_batch = batch(images.copy(), genes)
    noise.bind(Setting(shape)).apply(given_batch)
    assert given_batch.images.tobytes() == np.stack(expected).tobytes()


@given(seed=seeds, together=st.sampled_from([1, 1000, 2**17]), lookups=st.sampled_from([1, 40, 2**16]))
@settings(max_examples=30)
def test_no_bit_depends_on_how_many_images_are_decoded_at_once(seed: int, together: int, lookups: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (9, 11, 3)
    space = bind(Params(), Domain(shape, -1, 1))
    vectors = space.sample(12, rng)
    originals, rows = Originals(images_of(shape, 3, rng)), rng.integers(0, 3, 12)
    expected = np.concatenate([space.decode(vectors[n : n + 1], originals, rows[n : n + 1]) for n in range(12)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(image_distortions, "TOGETHER", together)
        patch.setattr(image_distortion, "TOGETHER", lookups)
        assert space.decode(vectors, originals, rows).tobytes() == expected.tobytes()


def batch(images: np.ndarray, genes: np.ndarray) -> Batch:
    given_originals: Any = Originals(images)
    return Batch(genes, images.copy(), given_originals, np.arange(len(images)), np.array(1, np.float32))
