"""Small networks for signals and tables, shared by tests of assessments."""

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers
from tests.factories.networks import chain

from quantrift.data.arrays import write_arrays
from quantrift.models.tflite_files import to_tflite


@pytest.fixture(scope="module", params=["table", "signal"])
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A kind of inputs, and a folder with a network for them, in float and in 8 bits, and inputs."""
    kind, folder, rng = str(request.param), tmp_path_factory.mktemp(request.param), np.random.default_rng(0)
    shape = (6,) if kind == "table" else (24, 2)
    x = rng.normal(size=(30, *shape)).astype(np.float32)
    keras.utils.set_random_seed(0)
    front = [layers.Dense(8, "relu")] if kind == "table" else [layers.Conv1D(8, 5), layers.GlobalAveragePooling1D()]
    model = chain(shape, *front, layers.Dense(3, kernel_initializer="random_normal"))

    def in_8_bits(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([row[None]] for row in x)

    (folder / "net.tflite").write_bytes(to_tflite(model))
    (folder / "int8.tflite").write_bytes(to_tflite(model, in_8_bits))
    write_arrays(folder / "x.npz", {"x": x})
    return kind, folder
