"""Zonotopes hold what real functions make of their members; linear maps are the convolutions they stand for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.judge.certify.bounds.layers import LinearMap, Window, convolution, dense
from quantrift.judge.certify.bounds.zonotope import Zonotope, larger

IMAGE = (5, 4, 2)
seeds = st.integers(0, 2**32 - 1)


def drawn(rng: np.random.Generator, shape: tuple[int, ...], count: int = 6) -> Zonotope:
    size = 10.0 ** rng.integers(-3, 2)
    return Zonotope(rng.normal(size=shape), size * rng.normal(size=(count, *shape)), size * rng.random(shape))


def members(x: Zonotope, shared: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Members at corners and within, (n, *shape), for values of the generators, (n, m)."""
    own = np.clip(1.5 * rng.uniform(-1, 1, (len(shared), *x.centre.shape)), -1, 1)
    return x.centre + np.tensordot(shared[:, : len(x.generators)], x.generators, 1) + own * x.box


def values(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.clip(1.5 * rng.uniform(-1, 1, (40, count)), -1, 1)


def holds(x: Zonotope, shared: np.ndarray, found: np.ndarray) -> bool:
    """Whether each of some arrays is a member, with these values of its generators."""
    count = shared.shape[1]
    rest = x.box + np.abs(x.generators[count:]).sum(axis=0)
    distance = np.abs(found - x.centre - np.tensordot(shared, x.generators[:count], 1))
    return bool((distance <= rest * (1 + 1e-12) + 1e-13).all())


def maps(rng: np.random.Generator) -> list[LinearMap]:
    window = Window.of(IMAGE[:2], (3, 2), (2, 1), bool(rng.integers(2)))
    return [
        dense(rng.normal(size=(3, int(np.prod(IMAGE))))),
        convolution(rng.normal(size=(3, 3, 2, IMAGE[2])), window, IMAGE[:2]),
        convolution(rng.normal(size=(3, 2, IMAGE[2], 2)), window, IMAGE[:2], depthwise=True),
    ]


@given(seed=seeds, kept=st.integers(0, 50), kind=st.integers(0, 2))
@settings(max_examples=60)
def test_a_linear_map_of_a_member_is_a_member(seed: int, kept: int, kind: int) -> None:
    rng = np.random.default_rng(seed)
    x, linear = drawn(rng, IMAGE), maps(rng)[kind]
    bias = rng.normal(size=linear.output_shape[-1])
    shared = values(rng, len(x.generators))
    assert holds(x.mapped(linear, bias, kept), shared, linear(members(x, shared, rng)) + bias)


@given(seed=seeds, ends=st.sampled_from([(0.0, np.inf), (0.0, 6.0), (-1.0, 0.5), (-np.inf, np.inf)]))
@settings(max_examples=60)
def test_a_member_moved_into_limits_is_a_member(seed: int, ends: tuple[float, float]) -> None:
    rng = np.random.default_rng(seed)
    x = drawn(rng, (9,))
    shared = values(rng, len(x.generators))
    found = x.clamped(*ends)
    clipped = np.clip(members(x, shared, rng), *ends)
    assert holds(found, shared, clipped)
    assert ((found.low <= clipped) & (clipped <= found.high)).all()


@given(seed=seeds, counts=st.tuples(st.integers(0, 5), st.integers(0, 5)))
@settings(max_examples=60)
def test_the_larger_of_two_members_is_a_member(seed: int, counts: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    first, second = (drawn(rng, (9,), count) for count in counts)
    shared = values(rng, max(counts))
    found = np.maximum(members(first, shared, rng), members(second, shared, rng))
    assert holds(larger(first, second), shared, found)


@given(seed=seeds)
@settings(max_examples=20)
def test_magnitudes_bound_a_map_and_are_reached(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for linear in maps(rng):
        x = rng.normal(size=(5, *IMAGE))
        most = linear.magnitudes()(np.abs(x))
        assert (np.abs(linear(x)) <= most * (1 + 1e-12)).all()
        assert linear.output_shape == most.shape[1:]
        assert np.prod(linear.input_shape) == np.prod(IMAGE)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize(("size", "stride"), [((3, 2), (2, 1)), ((2, 2), (2, 2)), ((5, 4), (3, 3)), ((1, 1), (2, 3))])
def test_convolutions_are_sums_over_windows_padded_as_tensorflow_does(
    same: bool, size: tuple[int, int], stride: tuple[int, int]
) -> None:
    rng = np.random.default_rng(3)
    weights, x = rng.normal(size=(3, *size, IMAGE[2])), rng.normal(size=IMAGE)
    found = convolution(weights, Window.of(IMAGE[:2], size, stride, same), IMAGE[:2])(x[None])[0]
    places = [
        -(-side // step) if same else (side - length) // step + 1
        for side, length, step in zip(IMAGE[:2], size, stride, strict=True)
    ]
    assert found.shape == (*places, 3)
    before = [
        max((place - 1) * step + length - side, 0) // 2 if same else 0
        for place, side, length, step in zip(places, IMAGE[:2], size, stride, strict=True)
    ]
    for down, right in np.ndindex(*places):
        total = np.zeros(3)
        for row, column in np.ndindex(*size):
            at = down * stride[0] + row - before[0], right * stride[1] + column - before[1]
            if 0 <= at[0] < IMAGE[0] and 0 <= at[1] < IMAGE[1]:
                total += weights[:, row, column] @ x[at]
        assert np.allclose(found[down, right], total)
