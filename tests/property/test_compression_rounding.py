"""Equation 3.1 and the algorithms that give each weight its bits, for any weights, bits and budgets."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError
from quantrift.study.compression.bits.bit_tensors import assigned, cut, heterogeneous
from quantrift.study.compression.bits.rounding import half_steps, rounded, rounded_within_range, straight_through

weights = st.lists(st.floats(-2, 2, width=32), min_size=1, max_size=40).map(lambda x: np.array(x, np.float32))
few_bits = st.integers(1, 12).map(np.uint8)
widths = st.lists(st.integers(1, 9), min_size=1, max_size=60).map(lambda x: np.array(x, np.uint8))


def beside_half_way(x: NDArray[np.float32], bits: np.uint8) -> NDArray[np.float64]:
    """How far weights are from the middle between two levels, in steps."""
    steps = np.multiply(np.clip(x.astype(np.float64), -1, 1) + 1, half_steps(np.full(x.shape, bits)))
    return np.abs(steps % 1 - 0.5)


@settings(max_examples=100, derandomize=True)
@given(x=weights, bits=few_bits)
def test_a_weight_becomes_the_nearest_level(x: NDArray[np.float32], bits: np.uint8) -> None:
    levels = np.linspace(-1, 1, 2 ** int(bits))
    result = rounded(x, np.full(x.shape, bits))
    distances = np.abs(np.clip(x, -1, 1)[:, None] - levels)
    np.testing.assert_allclose(np.abs(np.clip(x, -1, 1) - result), distances.min(axis=1), atol=1e-12)
    assert np.abs(result[:, None] - levels).min(axis=1).max() < 1e-12


@pytest.mark.parametrize("bits", range(1, 10))
def test_there_are_two_to_the_power_of_bits_levels(bits: int) -> None:
    x = np.linspace(-1, 1, 20_001)
    assert len(np.unique(rounded(x, np.full(x.shape, bits, np.uint8)))) == 2**bits


@settings(max_examples=100, derandomize=True)
@given(x=weights, bits=few_bits)
def test_rounding_is_symmetric_but_half_way_between_levels(x: NDArray[np.float32], bits: np.uint8) -> None:
    x = x[beside_half_way(x, bits) > 1e-6]
    bits_of_x = np.full(x.shape, bits)
    np.testing.assert_allclose(rounded(-x, bits_of_x), -rounded(x, bits_of_x), atol=1e-12)


@settings(max_examples=100, derandomize=True)
@given(x=weights, bits=st.integers(1, 32).map(np.uint8))
def test_rounding_again_changes_nothing(x: NDArray[np.float32], bits: np.uint8) -> None:
    bits_of_x = np.full(x.shape, bits)
    once = rounded(x, bits_of_x)
    assert np.abs(once).max() <= 1
    np.testing.assert_array_equal(rounded(once, bits_of_x), once)


@settings(max_examples=100, derandomize=True)
@given(x=weights, bits=st.integers(1, 9).map(np.uint8), data=st.data())
def test_training_rounds_to_the_same_levels_and_passes_the_gradient_unless_it_clips(
    x: NDArray[np.float32], bits: np.uint8, data: st.DataObject
) -> None:
    upstream = np.array(data.draw(st.lists(st.floats(-1, 1, width=32), min_size=len(x), max_size=len(x))), np.float32)
    weights, bits_of_x = tf.constant(x), np.full(x.shape, bits)
    with tf.GradientTape() as tape:
        tape.watch(weights)
        result = straight_through(weights, tf.constant(half_steps(bits_of_x), tf.float32))
    # Half-way weights may go either way, as one of both computes in 32 bits.
    clear = beside_half_way(x, bits) > 1e-3
    np.testing.assert_allclose(result.numpy()[clear], rounded(x, bits_of_x)[clear], atol=1e-6)
    gradient = tape.gradient(result, weights, tf.constant(upstream)).numpy()
    np.testing.assert_array_equal(gradient, np.where(np.abs(x) <= 1, upstream, 0))


@settings(max_examples=100, derandomize=True)
@given(x=weights, bits=st.integers(1, 12).map(np.uint8), scale=st.floats(1e-3, 1e3))
def test_trained_weights_stay_within_their_range_whatever_its_size(
    x: NDArray[np.float32], bits: np.uint8, scale: float
) -> None:
    x = (x * scale).astype(np.float32)
    bits_of_x = np.full(x.shape, bits)
    result = rounded_within_range(x, bits_of_x)
    largest = np.abs(x).max()
    assert result.dtype == np.float32
    assert len(np.unique(result)) <= 2 ** int(bits)
    assert np.abs(result).max() <= largest
    # Half a step, and what 32 bits lose.
    assert np.abs(result - x).max() <= largest * (1 / (2 ** int(bits) - 1) + 1e-6)


def test_thirty_two_bits_clip_and_within_a_range_change_nothing() -> None:
    x = np.array([-1.5, -0.3, 0, 1e-9, 1.1], np.float32)
    bits = np.full(5, 32, np.uint8)
    np.testing.assert_array_equal(rounded(x, bits), np.clip(x, -1, 1))
    np.testing.assert_array_equal(rounded_within_range(x, bits), x)


def test_a_layer_of_zeros_stays_zero() -> None:
    zeros = np.zeros(3, np.float32)
    np.testing.assert_array_equal(rounded_within_range(zeros, np.full(3, 4, np.uint8)), zeros)


def by_the_published_loop(bits: NDArray[np.uint8], budget: float) -> list[int]:
    """Algorithm 1 as published, with its line 7 inside the loop."""
    total, count, result = int(budget * len(bits)), 0, bits.tolist()
    for i in range(len(result)):
        if count + result[i] > total:
            result[i] = total - count
        count += result[i]
    return result


@settings(max_examples=200, derandomize=True)
@given(bits=widths, share=st.floats(0.5, 1.2))
def test_bits_are_cut_as_by_algorithm_1(bits: NDArray[np.uint8], share: float) -> None:
    budget = float(bits.mean()) * share
    expected = by_the_published_loop(bits, budget)
    if 0 in expected:
        with pytest.raises(QuantriftError, match=rf"{expected.count(0)} of {len(bits)} weights would get none"):
            cut(bits, budget)
    else:
        assert cut(bits, budget).tolist() == expected


def test_the_weight_at_which_the_budget_ends_gets_what_is_left() -> None:
    assert cut(np.array([4, 4, 4, 4], np.uint8), 3.75).tolist() == [4, 4, 4, 3]


@settings(max_examples=100, derandomize=True)
@given(
    shapes=st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple), min_size=1, max_size=5),
    seed=st.integers(0, 2**32 - 1),
)
def test_each_drawn_number_of_bits_is_dealt_out_once(shapes: list[tuple[int, ...]], seed: int) -> None:
    count = sum(int(np.prod(shape)) for shape in shapes)
    rng = np.random.default_rng(seed)
    bits = rng.integers(1, 10, count).astype(np.uint8)
    dealt = assigned(bits, shapes, rng)
    assert [one.shape for one in dealt] == shapes
    np.testing.assert_array_equal(np.sort(np.concatenate([one.ravel() for one in dealt])), np.sort(bits))


def test_the_shares_are_met_and_another_seed_draws_others() -> None:
    def drawn(seed: int) -> list[NDArray[np.uint8]]:
        return heterogeneous([3, 4, 5, 6], [0.4, 0, 0.3, 0.3], 5, [(100, 100), (10_000,)], seed)

    for layer in drawn(0):
        shares = np.bincount(layer.ravel(), minlength=7)[3:] / layer.size
        np.testing.assert_allclose(shares, [0.4, 0, 0.3, 0.3], atol=0.02)
    np.testing.assert_array_equal(drawn(0)[0], drawn(0)[0])
    assert not np.array_equal(drawn(0)[0], drawn(1)[0])
