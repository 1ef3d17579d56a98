"""Keras files with code, foreign layers, damage or another kind of network are refused, and nothing in them is run."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.given_keras import read_network

X = np.random.default_rng(0).random((5, 6, 5, 3)).astype(np.float32)
SUFFIXES = (".keras", ".h5")


def infected(marker: Path, where: str) -> keras.Model:
    """A network with code in it that makes the file ``marker``."""

    name = str(marker)

    def touch(x: Any) -> Any:
        __import__("pathlib").Path(name).touch()
        return x

    touch.__name__ = "<lambda>"
    evil = layers.Lambda(touch, output_shape=lambda shape: shape, name="evil")
    if where == "in a model":
        return keras.Sequential([keras.Input((6, 5, 3)), keras.Sequential([keras.Input((6, 5, 3)), evil]), dense()])
    if where == "in a wrapper":
        return keras.Sequential([keras.Input((6, 5, 3)), layers.TimeDistributed(evil), dense()])
    return keras.Sequential([keras.Input((6, 5, 3)), evil, dense()])


def dense() -> keras.Model:
    return keras.Sequential([keras.Input((6, 5, 3)), layers.Flatten(), layers.Dense(2)])


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("where", ["at the top", "in a model", "in a wrapper"])
def test_code_is_refused_by_name_and_never_run(where: str, suffix: str, tmp_path: Path) -> None:
    path, marker = tmp_path / f"model{suffix}", tmp_path / "ran"
    model = infected(marker, where)
    model(X)
    assert marker.exists(), "the code works"
    model.save(path)
    marker.unlink()
    with pytest.raises(QuantriftError, match=r"holds code \(layer 'evil' of class Lambda\), which is never run"):
        read_network(path)
    assert not marker.exists()
    keras.saving.load_model(path, safe_mode=False, compile=False)(X)
    assert marker.exists(), "the code is in the file"


def test_code_as_an_activation_is_refused(tmp_path: Path) -> None:
    chain(activation=lambda x: 2 * x).save(tmp_path / "model.keras")
    with pytest.raises(QuantriftError, match=r"holds code \(layer 'last' of class __lambda__\)"):
        read_network(tmp_path / "model.keras")


class Mine(layers.Layer):
    """A layer that Keras does not have."""

    def call(self, x: Any) -> Any:
        return 2 * x


class Whole(keras.Model):
    """A network that is its own code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.dense = layers.Dense(2)

    def call(self, x: Any) -> Any:
        return self.dense(keras.ops.reshape(x, (-1, 90)))


class Fives(keras.initializers.Initializer):
    """An initializer that Keras does not have."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return keras.ops.full(shape, 5.0)


def mine(x: Any) -> Any:
    """An activation that Keras does not have."""
    return 2 * x


def whole() -> keras.Model:
    model = Whole()
    model(X)
    return model


def chain(*inner: layers.Layer, image: tuple[int | None, ...] = (6, 5, 3), **last: Any) -> keras.Model:
    return keras.Sequential([keras.Input(image), *inner, layers.Flatten(), layers.Dense(2, **last, name="last")])


def graph(build: Callable[[keras.KerasTensor, layers.Layer], Any]) -> keras.Model:
    """Outputs from an image and a layer, each with two values."""
    given = keras.Input((6, 5, 3))
    return keras.Model(given, build(layers.Flatten()(given), layers.Dense(2, name="shared")))


def of_two() -> keras.Model:
    given = [keras.Input((6, 5, 3)), keras.Input((6, 5, 3))]
    return keras.Model(given, layers.Dense(2)(layers.Flatten()(layers.Add()(given))))


def first() -> keras.Model:
    return chain(layers.MaxPooling2D(data_format="channels_first", name="odd"))


REFUSED: dict[str, tuple[Callable[[], keras.Model], str]] = {
    "layer": (lambda: chain(Mine(name="odd")), "layer 'odd' needs class Mine.*, which Keras does not have"),
    "initializer": (lambda: chain(layers.Conv2D(1, 3, kernel_initializer=Fives(), name="odd")), "needs class Fives"),
    "activation": (lambda: chain(layers.ReLU(), activation=mine), "layer 'last' needs (function|activation) mine"),
    "operation": (
        lambda: graph(lambda x, dense: dense(keras.ops.relu(x))),
        "needs class Relu.*, which Keras does not have",
    ),
    "channels first": (first, "layer 'odd' takes its channels first"),
    "two inputs": (of_two, "has 2 inputs .*; quantrift assess --change NAME says which one"),
    "two outputs": (lambda: graph(lambda x, dense: [dense(x), x]), "has 2 outputs .*--output NAME says which"),
    "sigmoid": (lambda: chain(activation="sigmoid"), "ends in a sigmoid"),
    "twice": (lambda: graph(lambda x, dense: layers.Add()([dense(x), dense(layers.ReLU()(x))])), "'shared' twice"),
    "any size": (lambda: chain(layers.GlobalAveragePooling2D(), image=(None, None, 3)), "of one size"),
    "volumes": (lambda: chain(image=(4, 4, 4, 2)), r"takes inputs of shape \(4, 4, 4, 2\), expected images"),
    "map": (lambda: keras.Sequential([keras.Input((6, 5, 3)), layers.Conv2D(2, 3)]), r"shape \(4, 3, 2\), expected"),
    "half": (lambda: chain(dtype="float16"), r"computes in float16 \(layer 'last'\)"),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_keras_alone_or_no_classifier_is_refused(name: str, suffix: str, tmp_path: Path) -> None:
    build, match = REFUSED[name]
    path = tmp_path / f"model{suffix}"
    build().save(path)
    with pytest.raises(QuantriftError, match=match) as error:
        read_network(path)
    assert str(path) in str(error.value)
    assert ".tflite" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_network_that_is_its_own_code_is_refused(tmp_path: Path) -> None:
    whole().save(tmp_path / "model.keras")
    with pytest.raises(QuantriftError, match="is of class Whole, whose code the file does not hold"):
        read_network(tmp_path / "model.keras")


def test_weights_alone_are_refused(tmp_path: Path) -> None:
    chain().save_weights(tmp_path / "model.weights.h5")
    with pytest.raises(QuantriftError, match="holds weights alone; save the whole network"):
        read_network(tmp_path / "model.weights.h5")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("keep", [0, 20, 0.5, 0.9])
def test_a_damaged_file_is_refused(suffix: str, keep: float, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    chain().save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content)) if 0 < keep < 1 else int(keep)])
    with pytest.raises(QuantriftError, match="not a complete Keras file .*; save the network again"):
        read_network(path)


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="no such file"):
        read_network(tmp_path / "none.keras")
    path = tmp_path / "model.pb"
    path.write_bytes(b"x")
    with pytest.raises(QuantriftError, match=r"ends in '\.pb'; networks are read from"):
        read_network(path)
    path = tmp_path / "model.keras"
    for content in ("[]", "{}", '{"class_name": "Sequential", "config": 5}', "[" * 100_000):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("config.json", content)
        with pytest.raises(QuantriftError, match=r"model\.keras: (not a complete Keras file|holds no network)"):
            read_network(path)


def edited(path: Path, **changes: Any) -> None:
    """Change the settings of the last layer in a .keras file."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = json.loads(members["config.json"])
    config["config"]["layers"][-1] |= changes
    members["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"module": "os", "class_name": "system"}, "needs class system of os"),
        ({"module": "keras.saving", "class_name": "load_model"}, r"needs class load_model of keras\.saving"),
        ({"module": "keras", "class_name": "src"}, "needs class src of keras"),
        ({"module": None, "class_name": "Dense"}, "needs class Dense"),
        ({"module": ["keras"], "class_name": "Dense"}, "needs class Dense"),
        ({"module": "keras.layers", "class_name": "TFSMLayer"}, "holds code .* TFSMLayer"),
        ({"config": {"units": "many"}}, "Keras cannot build this network"),
    ],
)
def test_what_a_forged_configuration_names_is_not_loaded(changes: dict[str, Any], match: str, tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    chain().save(path)
    edited(path, **changes)
    with pytest.raises(QuantriftError, match=match):
        read_network(path)
