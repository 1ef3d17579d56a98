"""Corruptions of images and faults of pipelines: identity at zero, row by row, equal to reference libraries."""

import io

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.ndimage import correlate1d

from quantrift.core.search.distortions.compound import groups, load
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.distortions.image_distortion import Batch
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.image_distortions import Params, bind

CORRUPTIONS, FAULTS = groups("images")["corruptions"], groups("images")["pipeline_faults"]
seeds = st.integers(0, 2**32 - 1)
shapes = st.tuples(st.integers(2, 14), st.integers(2, 14), st.sampled_from([1, 3, 5]))


def images_of(shape: tuple[int, int, int], count: int, rng: np.random.Generator) -> np.ndarray:
    return (rng.integers(0, 256, (count, *shape)) / np.float32(255)).astype(np.float32)


def applied(name: str, images: np.ndarray, genes: list[float], domain: Domain | None = None) -> np.ndarray:
    low, high = (domain or Domain(images.shape[1:], 0, 1)).bounds
    batch = Batch(
        np.tile(np.array(genes, np.float32), (len(images), 1)),
        images.copy(),
        Originals(images),
        np.arange(len(images)),
        high - low,
        low,
    )
    load("images", name).bind(Setting(images.shape[1:])).apply(batch)
    return batch.images


@given(shape=shapes, seed=seeds)
@settings(max_examples=40, deadline=None)
def test_no_bit_depends_on_the_images_beside_it_and_all_stay_between_black_and_white(
    shape: tuple[int, int, int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    space = bind(Params(distortions=("corruptions", "default")), Domain(shape, 0, 1))
    vectors, rows = space.sample(6, rng), rng.integers(0, 2, 6)
    originals = Originals(images_of(shape, 2, rng))
    found = space.decode(vectors, originals, rows)
    assert found.min() >= 0
    assert found.max() <= 1
    for n in range(6):
        assert space.decode(vectors[n : n + 1], originals, rows[n : n + 1]).tobytes() == found[n].tobytes()


@given(name=st.sampled_from(CORRUPTIONS), shape=shapes, seed=seeds)
@settings(max_examples=60, deadline=None)
def test_nothing_happens_at_zero(name: str, shape: tuple[int, int, int], seed: int) -> None:
    images = images_of(shape, 2, np.random.default_rng(seed))
    genes = [0.0, 3.0][: len(load("images", name).bind(Setting(shape)).genes)]
    assert applied(name, images, genes).tobytes() == images.tobytes()


def test_impulses_are_black_and_white_and_as_many_as_the_share_says() -> None:
    images = np.full((1, 200, 200, 1), 0.5, np.float32)
    found = applied("impulse_noise", images, [0.1, 5])
    assert np.mean(found == 0) == pytest.approx(0.05, abs=0.005)
    assert np.mean(found == 1) == pytest.approx(0.05, abs=0.005)


def test_motion_along_lines_is_a_mean_over_neighbours() -> None:
    images = images_of((20, 40, 3), 1, np.random.default_rng(0))
    # Seven images on a way of six pixels are a mean of seven neighbours.
    found = applied("motion_blur", images, [6, 0])
    expected = correlate1d(images.astype(np.float64), np.ones(7) / 7, axis=2, mode="nearest")
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_is_near_what_another_library_makes_of_it(channels: int) -> None:
    rng = np.random.default_rng(0)
    smooth = cv2.GaussianBlur(rng.random((32, 32, channels)).astype(np.float32), (0, 0), 3).reshape(32, 32, channels)
    levels = np.rint(255 * (smooth - smooth.min()) / np.ptp(smooth)).astype(np.uint8)
    found = applied("jpeg", levels[None] / np.float32(255), [40])[0] * 255
    stream = io.BytesIO()
    Image.fromarray(levels[..., 0] if channels == 1 else levels).save(stream, "JPEG", quality=60)
    other = np.asarray(Image.open(stream), np.float32).reshape(levels.shape)
    assert np.abs(found - other).mean() < 1.5
    assert (found != levels).any()


def test_channels_are_reversed_and_scales_exchanged_beyond_the_range() -> None:
    images = images_of((5, 4, 3), 2, np.random.default_rng(0))
    np.testing.assert_array_equal(applied("channel_order", images, [1]), images[..., ::-1])
    domain = Domain((5, 4, 3), 0, 1)
    np.testing.assert_allclose(applied("scale_slip", images, [0], domain), 255 * images, rtol=1e-6)
    np.testing.assert_allclose(applied("scale_slip", images, [1], domain), 2 * images - 1, atol=1e-6)
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    np.testing.assert_allclose(applied("scale_slip", images, [2], domain), (images - mean) / deviation, atol=1e-5)
    space = bind(Params(distortions=("scale_slip",)), domain)
    found = space.decode(np.array([[1, 0]], np.float32), Originals(images), np.zeros(1, int))
    assert found.max() > 1


def test_faults_on_channels_with_scales_of_their_own_are_those_of_the_image() -> None:
    images = images_of((5, 4, 3), 1, np.random.default_rng(0))
    low, high = np.array([-2, -1, 0], np.float32), np.array([2, 3, 1], np.float32)
    domain = Domain((5, 4, 3), -2, 3, tuple(zip(low.tolist(), high.tolist(), strict=True)))
    own = images * (high - low) + low
    np.testing.assert_allclose(
        applied("channel_order", own, [1], domain), images[..., ::-1] * (high - low) + low, atol=1e-5
    )
    np.testing.assert_allclose(applied("scale_slip", own, [0], domain), images, atol=1e-5)
