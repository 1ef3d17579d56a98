"""Symmetric linear quantization rounds all weights and activations, in the file as in Keras."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.evaluate import flips, logits
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.study.compression import linear_quantization
from quantrift.study.compression.methods import linear

SETTINGS = linear.Settings(method="linear", representative=50)


@pytest.fixture(scope="module")
def rounded(trained: Path, tiny_scene: ScenePatches) -> Compressed:
    return linear.compress(Original(trained), tiny_scene, SETTINGS)


@pytest.fixture(scope="module")
def outputs(rounded: Compressed, tiny_scene: ScenePatches, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    path = tmp_path_factory.mktemp("linear") / "model.tflite"
    path.write_bytes(rounded.content)
    return logits(LiteRT(path), tiny_scene, tiny_scene.test)


def test_it_is_computed_in_float_with_every_rounding_in_the_file(rounded: Compressed) -> None:
    ops = audit(rounded.content)["ops"]
    # What the four convolutions and three dense layers read, and the logits.
    assert [op["op"] for op in ops].count("ROUND") == 8
    assert {op["output"] for op in ops if op["macs"]} == {"FLOAT32"}


def test_the_file_labels_like_the_simulation_in_keras(
    outputs: np.ndarray, trained: Path, tiny_scene: ScenePatches
) -> None:
    chosen = np.random.default_rng(0).choice(tiny_scene.train, 50, replace=False)
    simulated = linear_quantization.simulated(Original(trained).twin, tiny_scene, chosen, 8)
    in_keras = logits(simulated.predict_on_batch, tiny_scene, tiny_scene.test)
    assert flips(outputs, in_keras) <= 0.003 * len(outputs)


def test_it_labels_nearly_like_the_original(outputs: np.ndarray, trained: Path, tiny_scene: ScenePatches) -> None:
    before = logits(LiteRT(trained / "original.tflite"), tiny_scene, tiny_scene.test)
    assert flips(outputs, before) <= 0.02 * len(outputs)
    assert np.abs(outputs - before).max() > 0


def test_logits_and_weights_are_whole_numbers_of_steps(rounded: Compressed, outputs: np.ndarray) -> None:
    assert len(np.unique(outputs)) <= 256
    interpreter = Interpreter(model_content=rounded.content)
    kernels = [
        interpreter.get_tensor(op["inputs"][1])
        for op in interpreter._get_ops_details()
        if op["op_name"] in ("CONV_2D", "FULLY_CONNECTED")
    ]
    assert len(kernels) == 7
    for kernel in kernels:
        steps = kernel / np.abs(kernel).max() * 127
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-3)


def test_weights_take_their_bits_and_biases_32_and_copies_in_the_twin_nothing(
    rounded: Compressed, trained: Path
) -> None:
    with_kernel = [layer for layer in Original(trained).network.layers if layer.weights]
    kernels = sum(int(np.prod(layer.kernel.shape)) for layer in with_kernel)
    biases = sum(int(np.prod(layer.bias.shape)) for layer in with_kernel)
    assert rounded.weight_bits == 8 * kernels + 32 * biases


@pytest.mark.parametrize(
    ("value", "bits", "expected"),
    [
        (10.0, 8, 10.0),
        (9.97, 8, 127 * 10 / 127),
        (25.0, 8, 10.0),
        (-25.0, 8, -128 * 10 / 127),
        (0.03, 8, 0.0),
        # Halves go to the even neighbour, as in PyTorch.
        (5.0, 3, 2 * 10 / 3),
        (5.0, 2, 0.0),
        (6.0, 2, 10.0),
    ],
)
def test_activations_go_to_the_nearest_of_their_levels(value: float, bits: int, expected: float) -> None:
    result = linear_quantization.Rounded(10.0, bits)(np.array([value], np.float32))
    np.testing.assert_allclose(keras.ops.convert_to_numpy(result), [expected], rtol=1e-6)


def test_what_is_always_zero_stays_zero() -> None:
    assert not keras.ops.convert_to_numpy(linear_quantization.Rounded(0.0, 8)(np.zeros(3, np.float32))).any()


def test_fewer_bits_lose_more(outputs: np.ndarray, trained: Path, tiny_scene: ScenePatches) -> None:
    original = Original(trained)
    before = logits(original.twin.predict_on_batch, tiny_scene, tiny_scene.test)
    four = linear_quantization.simulated(original.twin, tiny_scene, tiny_scene.train[:50], 4)
    after = logits(four.predict_on_batch, tiny_scene, tiny_scene.test)
    assert np.square(after - before).mean() > 10 * np.square(outputs - before).mean()


@pytest.mark.slow
def test_quantizing_again_gives_the_same_bytes(rounded: Compressed, trained: Path, tiny_scene: ScenePatches) -> None:
    assert linear.compress(Original(trained), tiny_scene, SETTINGS) == rounded


def test_a_tensor_that_two_layers_read_is_rounded_once(tiny_scene: ScenePatches) -> None:
    image = keras.Input((9, 9, 13))
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(image)
    x = layers.Add()([x, layers.Conv2D(4, 3, padding="same")(x)])
    x = layers.GlobalAveragePooling2D()(layers.ReLU()(x))
    model = keras.Model(image, layers.Dense(3)(x))
    made = linear_quantization.simulated(model, tiny_scene, tiny_scene.train[:8], 8)
    # Image; output of the first convolution; that of the second; what is averaged; the averages; the logits.
    assert sum(isinstance(layer, linear_quantization.Rounded) for layer in made.layers) == 6


def test_normalisation_that_stays_a_layer_has_32_bits_for_each_factor_and_offset(tiny_scene: ScenePatches) -> None:
    image = keras.Input((9, 9, 13))
    x = layers.BatchNormalization()(layers.ReLU()(layers.Conv2D(4, 3, use_bias=False)(image)))
    model = keras.Model(image, layers.Dense(3)(layers.Flatten()(x)))
    original: Any = SimpleNamespace(network=model, twin=model)
    made = linear_quantization.compress(original, tiny_scene, tiny_scene.train[:8], 8)
    assert made.weight_bits == 8 * (3 * 3 * 13 * 4 + 7 * 7 * 4 * 3) + 32 * (2 * 4 + 3)


def test_layers_with_weights_of_another_kind_are_refused(tiny_scene: ScenePatches) -> None:
    image = keras.Input((9, 9, 13))
    x = layers.PReLU(name="slopes")(layers.Conv2D(4, 3)(image))
    model = keras.Model(image, layers.Dense(3)(layers.Flatten()(x)))
    with pytest.raises(QuantriftError, match=r"layer 'slopes' \(PReLU\) has no rounded form; use ptq_int8"):
        linear_quantization.simulated(model, tiny_scene, tiny_scene.train[:8], 8)


def test_more_representative_inputs_than_training_inputs_are_refused(trained: Path, tiny_scene: ScenePatches) -> None:
    with pytest.raises(QuantriftError, match=r"representative is 200, but tiny has only 100 training inputs"):
        linear.compress(Original(trained), tiny_scene, linear.Settings(method="linear"))
