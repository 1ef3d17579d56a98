"""A 3-D convolution and its 2-D twin are one function, whatever their shapes."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.networks.architectures import hybridsn
from quantrift.core.networks.architectures.hybridsn import fold, folded_kernel
from quantrift.core.settings.networks import HybridSN


def randomised(model: keras.Model, seed: int) -> keras.Model:
    rng = np.random.default_rng(seed)
    model.set_weights([rng.normal(size=weights.shape) * 0.3 for weights in model.get_weights()])
    return model


@settings(max_examples=25)
@given(
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 5)),
    extra=st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)),
    channels=st.integers(1, 3),
    filters=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_folded_convolution_computes_the_3d_convolution(
    kernel: tuple[int, int, int], extra: tuple[int, int, int], channels: int, filters: int, seed: int
) -> None:
    rows, columns, depth = (k + more for k, more in zip(kernel, extra, strict=True))
    volume = keras.Input((rows, columns, depth, channels))
    layer = keras.layers.Conv3D(filters, kernel, activation="relu")
    model = randomised(keras.Model(volume, layer(volume)), seed)
    image = keras.Input((rows, columns, depth * channels))
    result, positions = fold(layer, image, depth)
    x = np.random.default_rng(seed).normal(size=(3, rows, columns, depth, channels)).astype(np.float32)
    expected = model.predict_on_batch(x)
    assert positions == expected.shape[3]
    folded = keras.Model(image, result).predict_on_batch(x.reshape(3, rows, columns, -1))
    np.testing.assert_allclose(folded.reshape(expected.shape), expected, atol=1e-5)


@settings(max_examples=8)
@given(
    patch=st.sampled_from([9, 11, 13]),
    components=st.integers(13, 18),
    width=st.sampled_from([0.1, 0.25, 0.5]),
    classes=st.integers(2, 16),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.slow
def test_the_twin_of_hybridsn_labels_every_input_like_it(
    patch: int, components: int, width: float, classes: int, seed: int
) -> None:
    shape = (patch, patch, components)
    model = hybridsn.build(HybridSN(width=width, patch=patch, components=components), shape, classes)
    randomised(model, seed)
    x = np.random.default_rng(seed).normal(size=(20, *shape)).astype(np.float32)
    expected, outputs = model.predict_on_batch(x), hybridsn.twin(model).predict_on_batch(x)
    np.testing.assert_allclose(outputs, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_array_equal(outputs.argmax(axis=1), expected.argmax(axis=1))


@given(depth=st.integers(1, 6), data=st.data())
def test_a_folded_kernel_holds_the_small_one_once_per_depth_and_zeros(depth: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, depth))
    kernel = np.ones((2, 3, k, 2, 5), np.float32)
    folded = folded_kernel(kernel, depth)
    assert folded.shape == (2, 3, depth * 2, (depth - k + 1) * 5)
    assert folded.sum() == kernel.sum() * (depth - k + 1)
