"""Folding batch normalisation changes no function, whatever stands around it."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.batch_norm import factor_and_offset, folded


def randomised(model: keras.Model, seed: int) -> keras.Model:
    """Random weights; variances, the only ones that must be, are positive."""
    rng = np.random.default_rng(seed)
    weights = []
    for variable in model.weights:
        of_variance = variable.name == "moving_variance"
        weights.append(rng.uniform(0.2, 2, variable.shape) if of_variance else 0.5 * rng.normal(size=variable.shape))
    model.set_weights(weights)
    return model


def assert_equal_functions(model: keras.Model, other: keras.Model) -> None:
    x = np.random.default_rng(0).normal(size=(5, *model.input_shape[1:])).astype(np.float32)
    expected = model.predict_on_batch(x)
    np.testing.assert_allclose(
        other.predict_on_batch(x), expected, rtol=1e-5, atol=1e-5 * max(1, np.abs(expected).max())
    )


@settings(max_examples=25, derandomize=True)
@given(
    use_bias=st.booleans(),
    scale=st.booleans(),
    center=st.booleans(),
    strides=st.integers(1, 2),
    padding=st.sampled_from(["same", "valid"]),
    epsilon=st.sampled_from([1e-5, 1e-3, 0.1]),
    dense=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_normalisation_behind_a_layer_joins_it(
    use_bias: bool, scale: bool, center: bool, strides: int, padding: str, epsilon: float, dense: bool, seed: int
) -> None:
    image = keras.Input((6, 5, 3))
    if dense:
        x = layers.Dense(4, use_bias=use_bias, name="first")(layers.Flatten()(image))
    else:
        x = layers.Conv2D(4, 3, strides, padding, use_bias=use_bias, name="first")(image)
    x = layers.BatchNormalization(scale=scale, center=center, epsilon=epsilon)(x)
    model = randomised(keras.Model(image, layers.ReLU()(x)), seed)
    without = folded(model)
    assert_equal_functions(model, without)
    assert without.get_layer("first").use_bias
    assert len(without.layers) == len(model.layers) - 1


@settings(max_examples=10, derandomize=True)
@given(activation=st.sampled_from([None, "relu"]), shared=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_any_other_normalisation_becomes_a_diagonal_convolution(
    activation: str | None, shared: bool, seed: int
) -> None:
    image = keras.Input((6, 6, 3))
    x = layers.Conv2D(3, 3, padding="same", activation=activation)(image)
    # The convolution may only change if nothing but the normalisation reads it, and if it has no activation.
    x = x if shared or activation else layers.Add()([image, x])
    y = layers.BatchNormalization(name="norm")(x)
    model = randomised(keras.Model(image, layers.Add()([x, y]) if shared else y), seed)
    without = folded(model)
    assert_equal_functions(model, without)
    kernel = without.get_layer("norm").get_weights()[0][0, 0]
    np.testing.assert_array_equal(kernel, np.diag(np.diag(kernel)))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10, derandomize=True)
def test_factor_and_offset_are_what_the_layer_applies(seed: int) -> None:
    vector = keras.Input((4,))
    norm = layers.BatchNormalization()
    model = randomised(keras.Model(vector, norm(vector)), seed)
    x = np.random.default_rng(seed).normal(size=(6, 4)).astype(np.float32)
    factor, offset = factor_and_offset(norm)
    np.testing.assert_allclose(x * factor + offset, model.predict_on_batch(x), rtol=1e-5, atol=1e-5)


def test_a_normalisation_of_vectors_alone_is_refused_by_name() -> None:
    vector = keras.Input((4,))
    with pytest.raises(QuantriftError, match="layer 'lonely' normalises a tensor of 2 axes"):
        folded(keras.Model(vector, layers.BatchNormalization(name="lonely")(vector)))


def test_a_network_without_normalisation_is_copied() -> None:
    image = keras.Input((6, 6, 3))
    model = randomised(keras.Model(image, layers.Conv2D(2, 3, activation="relu", name="conv")(image), name="plain"), 0)
    copy = folded(model)
    assert (copy.name, [layer.name for layer in copy.layers]) == ("plain", [layer.name for layer in model.layers])
    assert_equal_functions(model, copy)
