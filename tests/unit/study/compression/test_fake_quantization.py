"""Fake-quantized layers round as 8-bit kernels do, and can be trained."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from quantrift.core.networks.training.fake_quantization import FURTHEST, Convolution, Dense, Range, Rounding

RNG = np.random.default_rng(0)


def range_of(x: np.ndarray, batches: int = 1) -> Range:
    layer = Range(updates=batches)
    for _ in range(batches):
        layer(x, training=True)
    return layer


@pytest.fixture
def wide() -> Range:
    """A grid of levels 18 / 255 apart."""
    return range_of(np.array([[-9, 9]], np.float32))


def test_activations_stand_on_256_levels_that_hold_zero() -> None:
    x = RNG.uniform(-1, 3, size=(500, 40)).astype(np.float32)
    layer = range_of(x)
    outputs = np.array(layer(x))
    levels = np.unique(outputs)
    assert len(levels) == 256
    assert 0 in levels
    assert np.abs(outputs - x).max() <= (x.max() - x.min()) / 255
    assert np.array(layer(np.zeros_like(x))).tolist() == np.zeros_like(x).tolist()


def test_a_single_damaged_input_leaves_levels_to_the_others() -> None:
    x = RNG.normal(size=(50, 40)).astype(np.float32)
    damaged = x.copy()
    damaged[7, 3] = 800
    reached = np.median(np.abs(x).max(axis=1))
    assert np.array(range_of(damaged)(damaged)).max() <= 1.02 * FURTHEST * reached
    np.testing.assert_allclose(range_of(damaged)(x), x, rtol=0, atol=0.05)


def test_inputs_that_few_activate_keep_their_levels() -> None:
    x = np.zeros((50, 40), np.float32)
    x[:5] = RNG.random((5, 40))
    np.testing.assert_allclose(range_of(x)(x), x, rtol=0, atol=1 / 255)


def test_ranges_follow_the_batches_until_they_are_frozen() -> None:
    layer = Range(updates=2)
    for largest in (1, 3, 100):
        layer(np.full((4, 1), largest, np.float32), training=True)
    # The average of the first two.
    np.testing.assert_allclose(layer(np.full((4, 1), 1000, np.float32)), 2, rtol=1e-6)


def test_inference_moves_no_range() -> None:
    x = RNG.random((5, 4)).astype(np.float32)
    layer = range_of(x, batches=3)
    before = layer.get_weights()
    layer(10 * x)
    assert layer.get_weights() == before


def test_each_filter_has_a_symmetric_grid_of_its_own(wide: Range) -> None:
    layer = Convolution(filters=3, kernel_size=1, use_bias=False, rounding=Rounding(wide, None))
    layer.build((None, 1, 1, 40))
    kernel = RNG.normal(size=(1, 1, 40, 3)) * [1, 10, 0.1]
    layer.set_weights([kernel])
    # Of each input channel alone, the filters give their weights.
    weights = np.array(layer(np.eye(40, dtype=np.float32)[:, None, None]))[:, 0, 0]
    largest = np.abs(kernel[0, 0]).max(axis=0)
    np.testing.assert_allclose(weights, np.round(kernel[0, 0] / largest * 127) * largest / 127, rtol=1e-5)


def test_a_dense_layer_has_one_symmetric_grid(wide: Range) -> None:
    layer = Dense(units=3, use_bias=False, rounding=Rounding(wide, None))
    layer.build((None, 40))
    kernel = RNG.normal(size=(40, 3))
    layer.set_weights([kernel])
    largest = np.abs(kernel).max()
    weights = np.array(layer(np.eye(40, dtype=np.float32)))
    np.testing.assert_allclose(weights, np.round(kernel / largest * 127) * largest / 127, rtol=1e-5)


def test_a_filter_of_zeros_gives_zeros(wide: Range) -> None:
    layer = Convolution(filters=2, kernel_size=1, use_bias=False, rounding=Rounding(wide, None))
    layer.build((None, 1, 1, 4))
    kernel = np.ones((1, 1, 4, 2))
    kernel[..., 0] = 0
    layer.set_weights([kernel])
    assert np.array(layer(np.ones((1, 1, 1, 4), np.float32))).ravel().tolist() == [0, 4]


def test_biases_are_whole_numbers_of_levels_of_weights_times_levels_of_inputs(wide: Range) -> None:
    layer = Dense(units=5, rounding=Rounding(wide, None))
    layer.build((None, 1))
    bias = RNG.normal(size=5)
    layer.set_weights([np.full((1, 5), 127), bias])
    rounded = np.array(layer(np.zeros((1, 1), np.float32)))[0]
    np.testing.assert_allclose(rounded, np.round(bias / (18 / 255)) * (18 / 255), rtol=1e-5)


def test_gradients_pass_through_roundings_as_if_there_were_none(wide: Range) -> None:
    layer = Dense(units=2, rounding=Rounding(wide, wide))
    x = tf.constant(RNG.random((3, 4)), tf.float32)
    layer(x)
    with tf.GradientTape() as tape:
        total = keras.ops.sum(layer(x))
    kernel, bias = tape.gradient(total, layer.trainable_variables)
    np.testing.assert_allclose(kernel, np.repeat(np.sum(x, axis=0)[:, None], 2, axis=1), rtol=1e-6)
    np.testing.assert_allclose(bias, [3, 3])
