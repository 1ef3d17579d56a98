"""Foreign Keras files are read as networks from images to logits."""

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.networks.foreign.given_keras import read_network
from quantrift.core.networks.keras_files import load, save

X = np.random.default_rng(0).random((5, 6, 5, 3)).astype(np.float32)
SUFFIXES = (".keras", ".h5")


def functional() -> keras.Model:
    given = keras.Input((6, 5, 3), name="image")
    x = layers.Conv2D(4, 3, activation="swish", kernel_regularizer="l2", name="conv")(given)
    x = layers.BatchNormalization()(x)
    x = layers.Add()([x, layers.DepthwiseConv2D(1)(x)])
    return keras.Model(given, layers.Dense(4, activation="softmax")(layers.Flatten()(x)), name="mine")


def sequential() -> keras.Model:
    model = keras.Sequential([keras.Input((6, 5, 3)), layers.Conv2D(2, 3), layers.Flatten(), layers.Dropout(0.5)])
    model.add(layers.Dense(4))
    model.add(layers.Softmax())
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def nested() -> keras.Model:
    base = functional()
    base.compile("adam", keras.losses.SparseCategoricalCrossentropy())
    given = keras.Input((6, 5, 3))
    inner = keras.Sequential([keras.Input((6, 5, 3)), layers.Conv2D(3, 1, name="conv"), layers.ReLU()], name="inner")
    return keras.Model(given, base(inner(given)))


def three_dimensional() -> keras.Model:
    given = keras.Input((6, 5, 3, 1))
    x = layers.Flatten()(layers.Conv3D(2, 3, activation="relu")(given))
    return keras.Model(given, layers.Activation("softmax")(layers.Dense(4)(x)))


def normalised() -> keras.Model:
    layer = layers.Normalization()
    layer.adapt(5 * X + 1)
    return keras.Sequential([keras.Input((6, 5, 3)), layer, layers.Flatten(), layers.Dense(4, activation="softmax")])


def of_one_pixel() -> keras.Model:
    return keras.Sequential([keras.Input((6, 5, 3)), layers.Conv2D(4, (6, 5), activation="softmax")])


def attentive() -> keras.Model:
    given = keras.Input((6, 5, 3), batch_size=1)
    x = layers.Reshape((30, 3))(given)
    x = layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    x = layers.TimeDistributed(layers.Dense(2, activation="relu"))(x)
    return keras.Model(given, layers.Dense(4, activation="softmax")(layers.Flatten()(x)))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "build", [functional, sequential, nested, three_dimensional, normalised, of_one_pixel, attentive]
)
def test_a_network_is_read_as_one_graph_that_ends_in_logits(
    build: Callable[[], keras.Model], suffix: str, tmp_path: Path
) -> None:
    keras.utils.set_random_seed(1)
    model = build()
    model.save(tmp_path / f"model{suffix}")
    x = X[..., None] if len(model.input_shape) == 5 else X
    expected = np.concatenate([model(x[n : n + 1]) for n in range(5)]).reshape(5, 4)
    network = read_network(tmp_path / f"model{suffix}")
    assert type(network) is type(functional())
    assert (network.input_shape, network.output_shape) == ((None, 6, 5, 3), (None, 4))
    assert not any(isinstance(layer, keras.Model | layers.Softmax) for layer in network.layers)
    np.testing.assert_allclose(keras.ops.softmax(network.predict_on_batch(X)), expected, rtol=1e-5)
    # And still so after it has been written in our own way.
    save(network, tmp_path / "again.keras")
    again = load(tmp_path / "again.keras")
    np.testing.assert_array_equal(again.predict_on_batch(X), network.predict_on_batch(X))


def test_logits_images_without_channels_and_names_stay_as_they_are(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((6, 5)), layers.Flatten(name="flatten"), layers.Dense(4, name="logits")])
    model.save(tmp_path / "model.keras")
    network = read_network(tmp_path / "model.keras")
    assert network.input_shape == (None, 6, 5, 1)
    assert [layer.name for layer in network.layers][2:] == ["flatten", "logits"]
    np.testing.assert_allclose(network.predict_on_batch(X[..., :1]), model.predict_on_batch(X[..., 0]), rtol=1e-6)


def test_a_file_of_keras_2_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    inner = layers.Conv2D(2, 3, activation="relu"), layers.Flatten(), layers.Dense(2, activation="softmax")
    keras.Sequential([keras.Input((6, 5, 3)), *inner]).save(path)
    with h5py.File(path, "a") as file:
        config = json.loads(file.attrs["model_config"])
        for layer in config["config"]["layers"]:
            settings = layer["config"]
            settings["dtype"] = "float32"
            if "batch_shape" in settings:
                settings["batch_input_shape"] = settings.pop("batch_shape")
                del settings["optional"]
            for part in ("kernel_initializer", "bias_initializer"):
                if part in settings:
                    settings[part] = {"class_name": settings[part]["class_name"], "config": {}}
        file.attrs["model_config"] = json.dumps(config)
        file.attrs["keras_version"] = "2.2.4"
    model = keras.saving.load_model(path, compile=False)
    network = read_network(path)
    np.testing.assert_allclose(keras.ops.softmax(network.predict_on_batch(X)), model.predict_on_batch(X), rtol=1e-5)


def test_a_depthwise_convolution_of_keras_2_is_read(tmp_path: Path) -> None:
    path, x = tmp_path / "net.h5", np.random.default_rng(1).normal(size=(3, 6, 6, 2)).astype(np.float32)
    model = keras.Sequential([keras.Input((6, 6, 2)), layers.DepthwiseConv2D(3), layers.Flatten(), layers.Dense(4)])
    model.save(path)
    with h5py.File(path, "r+") as file:
        config = json.loads(file.attrs["model_config"])
        [depthwise] = [one for one in config["config"]["layers"] if one["class_name"] == "DepthwiseConv2D"]
        # Keras 2 states it, and Keras 3 takes no such argument.
        depthwise["config"]["groups"] = 1
        file.attrs["model_config"] = json.dumps(config)
    np.testing.assert_array_equal(load(path).predict_on_batch(x), model.predict_on_batch(x))
