"""Means of channels: exact in integers, and the same bits whatever stands beside."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.networks.layer_tensors import Layer
from quantrift.core.networks.layer_values.neurons import means

sides = st.integers(1, 12)
types = st.sampled_from([np.int8, np.uint8, np.int16])


def layer(step: float | None, zero: int) -> Layer:
    return Layer("conv", (), 0, "", step, zero)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 20), shape=st.tuples(sides, sides, sides))
@settings(max_examples=60)
def test_rows_do_not_depend_on_each_other(seed: int, n: int, shape: tuple[int, int, int]) -> None:
    numbers = np.random.default_rng(seed).normal(size=(n, *shape)).astype(np.float32)
    together = means(numbers, shape[-1], layer(None, 0))
    np.testing.assert_allclose(together, numbers.mean(axis=(1, 2), dtype=np.float64), rtol=1e-4, atol=1e-5)
    for row in range(n):
        assert means(numbers[row : row + 1].copy(), shape[-1], layer(None, 0)).tobytes() == together[row].tobytes()


@given(
    seed=st.integers(0, 2**32 - 1),
    dtype=types,
    shape=st.tuples(st.integers(1, 300), sides, sides),
    step=st.floats(1e-4, 10),
    zero=st.integers(-128, 255),
    extreme=st.booleans(),
)
@settings(max_examples=60)
def test_integers_are_added_exactly(
    seed: int, dtype: type, shape: tuple[int, int, int], step: float, zero: int, extreme: bool
) -> None:
    limits = np.iinfo(dtype)
    numbers = np.random.default_rng(seed).integers(limits.min, limits.max, (2, *shape), dtype, endpoint=True)
    if extreme:
        numbers[:] = limits.min if seed % 2 else limits.max
    found = means(numbers, shape[-1], layer(step, zero))
    for row, channel in ((0, 0), (1, shape[-1] - 1)):
        values = numbers[row, ..., channel].ravel().tolist()
        exact = Fraction(step) * Fraction(sum(values) - len(values) * zero, len(values))
        assert found[row, channel] == pytest.approx(float(exact), rel=1e-6)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 5), units=st.integers(1, 40), dtype=types)
@settings(max_examples=40)
def test_a_unit_has_its_own_value(seed: int, n: int, units: int, dtype: type) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, units)).astype(np.float32)
    np.testing.assert_array_equal(means(values, units, layer(None, 0)), values)
    numbers = rng.integers(0, 127, (n, units), dtype)
    expected = (numbers.astype(np.float64) - 3) * 0.25
    np.testing.assert_array_equal(means(numbers, units, layer(0.25, 3)), expected)
