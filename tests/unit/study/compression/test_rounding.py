"""Equation 3.1 with each number of bits of the thesis, the gradient of its rounding, and Algorithm 1's error."""

import numpy as np
import pytest
import tensorflow as tf

from quantrift.core.base.errors import QuantriftError
from quantrift.study.compression.bits.bit_tensors import cut
from quantrift.study.compression.bits.rounding import half_steps, rounded, straight_through

BITS = [1, 2, 3, 4, 5, 8]
BEYOND = np.array([-7, -1.5, -1, 1, 1.5, 7], np.float32)


def trained(x: np.ndarray, bits: int) -> np.ndarray:
    half = half_steps(np.full(x.shape, bits, np.uint8)).astype(np.float32)
    return np.asarray(straight_through(tf.constant(x), tf.constant(half)))


@pytest.mark.parametrize(
    ("bits", "levels"), [(1, [-1, 1]), (2, [-1, -1 / 3, 1 / 3, 1]), (3, [n / 7 for n in (-7, -5, -3, -1, 1, 3, 5, 7)])]
)
def test_the_levels_of_few_bits(bits: int, levels: list[float]) -> None:
    x = np.linspace(-1.2, 1.2, 2001).astype(np.float32)
    np.testing.assert_allclose(np.unique(rounded(x, np.full(x.shape, bits, np.uint8))), levels, atol=1e-12)


@pytest.mark.parametrize("bits", BITS)
def test_levels_are_evenly_spaced_symmetric_without_zero_and_stay_where_they_are(bits: int) -> None:
    levels = 2 * np.arange(2**bits) / (2**bits - 1) - 1
    bits_of_levels = np.full(levels.shape, bits, np.uint8)
    np.testing.assert_allclose(rounded(levels, bits_of_levels), levels, atol=1e-12)
    np.testing.assert_allclose(levels, -levels[::-1], atol=1e-12)
    assert np.abs(levels).min() == pytest.approx(1 / (2**bits - 1))
    assert rounded(BEYOND, np.full(BEYOND.shape, bits, np.uint8)).tolist() == [-1, -1, -1, 1, 1, 1]
    np.testing.assert_allclose(trained(levels.astype(np.float32), bits), levels, atol=2e-7)
    assert trained(BEYOND, bits).tolist() == [-1, -1, -1, 1, 1, 1]


def test_32_bits_are_clipped_alone() -> None:
    x = np.array([-2, -0.123456789, 0, 0.987654321, 2])
    assert rounded(x, np.full(x.shape, 32, np.uint8)).tolist() == [-1, -0.123456789, 0, 0.987654321, 1]


@pytest.mark.parametrize("bits", BITS)
def test_the_gradient_passes_as_it_is_where_nothing_is_clipped(bits: int) -> None:
    x = tf.constant([-1.01, -1, -0.6, 0, 0.3, 1, 1.01])
    half = tf.fill(x.shape, tf.constant((2.0**bits - 1) / 2, tf.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(straight_through(x, half) * tf.constant([2.0, 3, 5, 7, 11, 13, 17]))
    assert np.asarray(tape.gradient(total, x)).tolist() == [0, 3, 5, 7, 11, 13, 0]


def test_a_weight_that_the_budget_leaves_without_bits_is_an_error() -> None:
    bits = np.array([3, 3, 3, 3], np.uint8)
    assert cut(bits, 2.5).tolist() == [3, 3, 3, 1]
    with pytest.raises(QuantriftError, match="1 of 4 weights would get none; raise budget"):
        cut(bits, 2.25)
    with pytest.raises(QuantriftError, match="2 of 4 weights"):
        cut(bits, 1.5)
