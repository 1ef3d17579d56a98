"""The runtime's logits do not depend on how inputs are grouped."""

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite

X = np.random.default_rng(0).normal(size=(300, 8, 8, 3)).astype(np.float32)


@pytest.fixture(scope="module", params=["float", "int8"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network with random weights, in float or in 8 bits."""

    def in_8_bits(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([x[None]] for x in X[:50])
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]

    keras.utils.set_random_seed(0)
    image = x = keras.Input((8, 8, 3))
    x = keras.layers.Conv2D(7, 3, activation="relu")(x)
    x = keras.layers.Flatten()(x)
    model = keras.Model(image, keras.layers.Dense(5)(keras.layers.Dense(33, activation="relu")(x)))
    path = tmp_path_factory.mktemp("runtime") / "model.tflite"
    path.write_bytes(to_tflite(model, in_8_bits) if request.param == "int8" else to_tflite(model))
    return path


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batch=st.integers(1, 256), cuts=st.lists(st.integers(0, len(X)), max_size=3))
def test_logits_are_bit_identical_over_batches_and_calls(path: Path, batch: int, cuts: list[int]) -> None:
    expected = LiteRT(path)(X)
    network = LiteRT(path, batch)
    parts = [network(part) for part in np.split(X, sorted(cuts))]
    np.testing.assert_array_equal(np.concatenate(parts), expected)
