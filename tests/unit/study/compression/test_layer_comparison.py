"""Errors of layers: against plain formulas, independent of grouping, matched by name."""

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.layer_comparison import changed_by_own_error, layer_errors
from quantrift.core.networks.layer_errors import read, write
from quantrift.core.networks.layer_values.tflite_layers import LayeredTFLite
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx
from quantrift.core.networks.tflite_files import to_tflite


def test_errors_are_those_of_their_formulas(trained: Path, compressed: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test)
    networks = LayeredTFLite(trained / "original.tflite"), LayeredTFLite(compressed / "model.tflite")
    before, after = (network(x) for network in networks)
    found = layer_errors(trained / "original.tflite", compressed / "model.tflite", [x])
    assert [error.layer for error in found] == list(before)
    for error, layer in zip(found, networks[1].layers, strict=True):
        a, b = before[error.layer].astype(np.float64).ravel(), after[error.layer].astype(np.float64).ravel()
        assert (error.type, error.inputs, error.values) == ("int8", len(x), a.size // len(x))
        noise = np.square(a - b)
        assert error.mse == pytest.approx(noise.mean())
        assert error.sqnr_db == pytest.approx(10 * np.log10(np.square(a).sum() / noise.sum()))
        assert error.cosine == pytest.approx((a * b).sum() / np.sqrt(np.square(a).sum() * np.square(b).sum()))
        assert layer.step
        assert error.rmse_scale == pytest.approx(np.sqrt(noise.mean()) / layer.step)


def test_rounding_alone_is_off_by_less_than_half_a_step(
    trained: Path, compressed: Path, tiny_scene: ScenePatches
) -> None:
    x = tiny_scene.take(tiny_scene.train)
    first = layer_errors(trained / "original.tflite", compressed / "model.tflite", [x])[0]
    assert first.rmse_scale is not None
    assert 0.1 < first.rmse_scale < 0.5


def test_how_inputs_are_grouped_changes_nothing(trained: Path, compressed: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test[:70])
    files = trained / "original.tflite", compressed / "model.tflite"
    assert layer_errors(*files, (part for part in np.split(x, [1, 8, 8, 40]))) == layer_errors(*files, [x])


def test_a_network_is_equal_to_itself(trained: Path, tiny_scene: ScenePatches) -> None:
    path = trained / "original.tflite"
    for error in layer_errors(path, path, [tiny_scene.take(tiny_scene.test[:5])]):
        assert (error.sqnr_db, error.cosine, error.mse, error.rmse_scale) == (None, pytest.approx(1), 0, None)


def _network(outputs: float) -> keras.Model:
    """Three layers with random weights, of which the outputs of the second are multiplied."""
    keras.utils.set_random_seed(0)
    given = keras.Input((6, 6, 1), name="image")
    x = layers.Conv2D(4, 3, activation="relu", name="first")(given)
    x = layers.Conv2D(6, 3, activation="relu", name="second")(x)
    # Tensors of .onnx files bear its name.
    model = keras.Model(given, layers.Dense(5, name="last")(layers.Flatten(name="flat")(x)), name="three")
    second = model.get_layer("second")
    kernel, _ = second.get_weights()
    second.set_weights([outputs * kernel, np.linspace(-0.2, 0.2, 6)])
    return model


@pytest.mark.parametrize("to_file", [(to_tflite, ".tflite"), (to_onnx, ".onnx")], ids=lambda one: one[1])
def test_the_error_of_the_only_faulty_layer_changes_the_labels_that_the_networks_disagree_on(
    to_file: tuple[Callable[[keras.Model], bytes], str], tmp_path: Path
) -> None:
    sound, faulty = (tmp_path / f"{name}{to_file[1]}" for name in ("sound", "faulty"))
    for file, outputs in ((sound, 1), (faulty, 0.2)):
        file.write_bytes(to_file[0](_network(outputs)))
    x = np.random.default_rng(0).random((50, 6, 6, 1), np.float32)
    names = [error.layer for error in layer_errors(sound, faulty, [x])]
    differ, changed = changed_by_own_error(sound, faulty, [x[:21], x[21:]], names)
    assert differ > 5
    # An activation may be a layer of its own, which adds nothing.
    assert {name: count for name, count in changed.items() if count} == {
        next(name for name in names if "second" in name): differ
    }


@pytest.mark.slow
def test_a_3d_network_has_the_layers_of_its_2d_twin(trained: Path, tiny_scene: ScenePatches, tmp_path: Path) -> None:
    path = tmp_path / "3d.tflite"
    path.write_bytes(to_tflite(load(trained / "model.keras")))
    found = layer_errors(trained / "original.tflite", path, [tiny_scene.take(tiny_scene.test[:5])])
    assert [error.layer for error in found][:3] == ["conv3d_1", "conv3d_2", "conv3d_3"]
    assert all(error.sqnr_db is None or error.sqnr_db > 100 for error in found)


@pytest.mark.slow
def test_layers_that_one_network_lacks_or_has_in_another_size_are_left_out(tmp_path: Path) -> None:
    paths = tmp_path / "original.tflite", tmp_path / "student.tflite"
    for path, width, name in zip(paths, (4, 2), ("only_here", "only_there"), strict=True):
        stack = layers.Conv2D(width, 3, name="conv"), layers.MaxPooling2D(name=name), layers.Flatten(), layers.Dense(3)
        path.write_bytes(to_tflite(keras.Sequential([keras.Input((6, 6, 2)), *stack])))
    x = np.random.default_rng(0).random((4, 6, 6, 2), np.float32)
    assert [error.layer for error in layer_errors(*paths, [x])] == ["output"]


def test_files_hold_what_was_found_with_nothing_where_nothing_is_defined(
    trained: Path, compressed: Path, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    x = tiny_scene.take(tiny_scene.test[:5])
    equal = layer_errors(trained / "original.tflite", trained / "original.tflite", [x])
    found = layer_errors(trained / "original.tflite", compressed / "model.tflite", [x]) + equal
    write(found, tmp_path)
    assert read(tmp_path / "layers.json") == found
    assert json.loads((tmp_path / "layers.json").read_text())[-1]["sqnr_db"] is None
    with (tmp_path / "layers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["layer"] for row in rows] == [error.layer for error in found]
    assert rows[-1]["sqnr_db"] == ""
    assert math.isclose(float(rows[0]["sqnr_db"]), found[0].sqnr_db or 0)
