"""Outputs of layers, as LiteRT computes them."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.layer_values.tflite_layers import LayeredTFLite
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite

LAYERS = ["conv3d_1", "conv3d_2", "conv3d_3", "conv2d", "flatten", "dense1", "dense2", "output"]


def converted(folder: Path, *stack: layers.Layer, batch: int | None = None) -> Path:
    """File of a network of some layers for images of 6x6x2."""
    path = folder / "model.tflite"
    path.write_bytes(to_tflite(keras.Sequential([keras.Input((6, 6, 2), batch_size=batch), *stack], name="net")))
    return path


def test_layers_carry_the_names_and_values_of_keras(trained: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test[:5])
    found = LayeredTFLite(trained / "original.tflite")(x)
    assert list(found) == LAYERS
    twin = load(trained / "twin.keras")
    for name in LAYERS[:-1]:
        expected = keras.Model(twin.inputs, twin.get_layer(name).output)(x)
        np.testing.assert_allclose(found[name], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("quantized", [False, True])
def test_the_output_is_bit_identical_to_plain_inference(
    quantized: bool, trained: Path, compressed: Path, tiny_scene: ScenePatches
) -> None:
    path = compressed / "model.tflite" if quantized else trained / "original.tflite"
    x = tiny_scene.take(tiny_scene.test)
    np.testing.assert_array_equal(LayeredTFLite(path)(x)["output"], LiteRT(path)(x))


def test_integers_are_turned_into_the_numbers_they_stand_for(
    trained: Path, compressed: Path, tiny_scene: ScenePatches
) -> None:
    x = tiny_scene.take(tiny_scene.test[:20])
    network = LayeredTFLite(compressed / "model.tflite")
    before, after = LayeredTFLite(trained / "original.tflite")(x), network(x)
    assert [layer.name for layer in network.layers] == LAYERS
    for layer in network.layers:
        assert layer.type == "int8"
        assert layer.step is not None
        values = after[layer.name]
        assert values.dtype == np.float32
        steps = values / layer.step
        np.testing.assert_allclose(steps, np.rint(steps), atol=1e-3)
        assert len(np.unique(values)) <= 256
        assert np.abs(values - before[layer.name]).mean() < 0.1 * np.abs(before[layer.name]).mean()


def test_activations_do_not_depend_on_the_batch(compressed: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test[:30])
    expected = LayeredTFLite(compressed / "model.tflite")(x)
    for batch in (1, 7):
        found = LayeredTFLite(compressed / "model.tflite", batch)(x)
        for name in LAYERS:
            np.testing.assert_array_equal(found[name], expected[name])


def test_a_fused_layer_has_the_values_after_both(tmp_path: Path) -> None:
    stack = layers.Conv2D(4, 3, name="conv"), layers.ReLU(name="relu"), layers.Flatten(name="flat"), layers.Dense(3)
    network = LayeredTFLite(converted(tmp_path, *stack))
    assert [(layer.name, layer.fused) for layer in network.layers] == [
        ("relu", ("conv",)),
        ("flat", ()),
        ("output", ()),
    ]
    assert network(np.random.default_rng(0).random((9, 6, 6, 2), np.float32))["relu"].min() == 0


def test_networks_that_end_in_a_softmax_give_logits(tmp_path: Path) -> None:
    path = converted(tmp_path, layers.Flatten(), layers.Dense(3, activation="softmax"))
    x = np.random.default_rng(0).random((9, 6, 6, 2), np.float32)
    found = LayeredTFLite(path)(x)["output"]
    np.testing.assert_allclose(found - found.max(axis=1, keepdims=True), LiteRT(path)(x), rtol=1e-4, atol=1e-5)


def test_files_for_one_batch_size_are_filled_up(tmp_path: Path) -> None:
    path = converted(tmp_path, layers.Conv2D(4, 3, name="conv"), layers.GlobalAveragePooling2D(), batch=4)
    x = np.random.default_rng(0).random((9, 6, 6, 2), np.float32)
    found = LayeredTFLite(path)(x)
    assert found["conv"].shape == (9, 4, 4, 4)
    np.testing.assert_allclose(found["output"], found["conv"].mean(axis=(1, 2)), rtol=1e-5)


def test_damaged_files_and_wrong_inputs_are_refused(trained: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.tflite"
    damaged.write_bytes(b"no network")
    with pytest.raises(QuantriftError, match="not a readable .tflite file"):
        LayeredTFLite(damaged)
    with pytest.raises(QuantriftError, match="expected float32 inputs"):
        LayeredTFLite(trained / "original.tflite")(np.zeros((2, 9, 9, 12), np.float32))
