"""Natural distortions of images: their effects, independence of rows, and the identity with none switched on."""

import numpy as np
import pytest

from quantrift.core.search.constraints import psnr
from quantrift.core.search.distortions.compound import groups
from quantrift.core.search.distortions.image_distortion import moved, turns
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.image_distortions import ImageDistortions, Params, bind

LEVELS = np.random.default_rng(0).integers(0, 256, (5, 12, 10, 3))
IMAGES = (LEVELS / np.float32(255)).astype(np.float32)
DOMAIN = Domain((12, 10, 3), 0.0, 1.0)
ROWS = np.arange(200) % 5


def only(space: ImageDistortions, name: str, *genes: float) -> np.ndarray:
    """The vector that does one thing."""
    vector = np.zeros((1, *space.shape), np.float32)
    [block] = [one for one in space.blocks if one.name == name]
    vector[0, block.activation : block.activation + 1 + len(genes)] = 1, *genes
    return vector


def decoded(space: ImageDistortions, vectors: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return space.decode(vectors, Originals(IMAGES), rows)


@pytest.mark.parametrize("levels", [256, None])
def test_a_vector_with_nothing_switched_on_is_the_seed_input(levels: int | None) -> None:
    space = bind(Params(levels=levels), DOMAIN)
    vectors = space.sample(5, np.random.default_rng(1))
    vectors[:, [block.activation for block in space.blocks]] = 0
    assert np.array_equal(decoded(space, vectors, np.arange(5)), IMAGES)


@pytest.mark.parametrize("levels", [256, None])
def test_every_row_depends_on_itself_alone(levels: int | None) -> None:
    space = bind(Params(levels=levels), DOMAIN)
    vectors = space.sample(len(ROWS), np.random.default_rng(2))
    together = decoded(space, vectors, ROWS)
    order = np.random.default_rng(3).permutation(len(ROWS))
    assert np.array_equal(decoded(space, vectors[order], ROWS[order]), together[order])
    alone = [decoded(space, vectors[n : n + 1], ROWS[n : n + 1]) for n in range(len(ROWS))]
    assert np.array_equal(np.concatenate(alone), together)
    assert together.dtype == np.float32
    assert together.flags.c_contiguous
    assert together.min() >= 0
    assert together.max() <= 1


def test_decoded_images_are_of_8_bits() -> None:
    space = bind(Params(), DOMAIN)
    images = decoded(space, space.sample(50, np.random.default_rng(4)), ROWS[:50])
    assert np.array_equal(images, (np.rint(images * 255) / np.float32(255)).astype(np.float32))


def test_samples_lie_within_the_bounds_and_say_what_is_switched_on() -> None:
    space = bind(Params(strengths={"rotation": 0.1}), DOMAIN)
    vectors = space.sample(500, np.random.default_rng(5))
    assert (vectors >= space.lower).all()
    assert (vectors <= space.upper).all()
    assert space.distortions == groups("images")["default"]
    for place, block in enumerate(space.blocks):
        assert np.array_equal(space.active(vectors) >> place & 1, vectors[:, block.activation])
    assert np.array_equal(vectors[:, space.integer], np.rint(vectors[:, space.integer]))


def test_a_shift_by_whole_pixels_moves_them() -> None:
    space = bind(Params(), DOMAIN)
    found = decoded(space, only(space, "shift", 1, -2), np.array([0]))[0]
    assert np.array_equal(found[1:, :-2], IMAGES[0, :-1, 2:])


def test_a_right_angle_turns_a_square_counter_clockwise() -> None:
    square = IMAGES[:1, :10]
    turned = moved(square, turns([90.0]), np.zeros((1, 2)))
    assert np.allclose(turned[0], np.rot90(square[0]), atol=1e-5)


def test_zooming_in_enlarges_the_middle() -> None:
    ramp = np.tile(np.arange(9, dtype=np.float32)[:, None, None], (1, 1, 9, 1))
    zoomed = moved(ramp, np.eye(2)[None] / 2, np.zeros((1, 2)))
    assert np.allclose(zoomed[0, :, 0, 0], np.arange(2, 6.5, 0.5))


def test_brightness_contrast_blur_and_noise_do_what_they_are_called() -> None:
    space = bind(Params(levels=None), DOMAIN)
    flat = Originals(np.full((1, 12, 10, 3), 0.5, np.float32))
    row = np.array([0])
    assert np.allclose(space.decode(only(space, "brightness", 0.25), flat, row), 0.75)
    assert np.allclose(space.decode(only(space, "contrast", 1), flat, row), 0.5)
    assert np.allclose(space.decode(only(space, "blur", 2), flat, row), 0.5, atol=1e-6)
    noisy = space.decode(only(space, "noise", 0.1, 7), flat, row)
    assert noisy.std() == pytest.approx(0.1, rel=0.2)
    assert np.array_equal(noisy, space.decode(only(space, "noise", 0.1, 7), flat, row))
    assert not np.array_equal(noisy, space.decode(only(space, "noise", 0.1, 8), flat, row))
    blurred = decoded(space, only(space, "blur", 2), row)
    assert blurred.std() < 0.5 * IMAGES[0].std()
    stretched = decoded(space, only(space, "contrast", -1), row)
    assert stretched.std() == pytest.approx(0.5 * IMAGES[0].std(), rel=1e-4)


def test_smaller_strengths_keep_more_of_an_image() -> None:
    constraint = psnr.bind(psnr.Params(peak="data_range"), DOMAIN)
    originals = Originals(IMAGES)
    for name in (*groups("images")["default"], *groups("images")["corruptions"]):
        medians = []
        for strength in (1.0, 0.1):
            space = bind(Params(distortions=(name,), strengths={name: strength}), DOMAIN)
            vectors = space.sample(len(ROWS), np.random.default_rng(6))
            vectors[:, space.blocks[0].activation] = 1
            medians.append(np.median(constraint.measure(decoded(space, vectors, ROWS), originals, ROWS).psnr))
        assert medians[0] < medians[1], name


def test_unknown_distortions_are_refused() -> None:
    with pytest.raises(ValueError, match="must be some of shift"):
        Params(distortions=("fog",))
    with pytest.raises(ValueError, match="must be some of shift"):
        Params(strengths={"fog": 0.5})
    with pytest.raises(ValueError, match="must be some of shift.* got none"):
        Params(distortions=())
