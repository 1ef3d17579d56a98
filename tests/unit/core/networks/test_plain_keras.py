"""Keras networks that are converted without Keras: the same numbers, the same layers, and nothing guessed."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.streams import stream
from quantrift.core.networks.batch_norm import folded_where_possible
from quantrift.core.networks.foreign.given_keras import as_logits, normalisation, read_as_given
from quantrift.core.networks.foreign.plain_keras import converted
from quantrift.core.networks.layer_tensors import layers as layers_of
from quantrift.core.networks.layer_tensors import matched
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.tflite_graph import Graph
from quantrift.judge.intake.example import paths


def table() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((20,)),
            layers.Dense(8, activation="relu"),
            layers.BatchNormalization(),
            layers.Dense(8, use_bias=False),
            layers.BatchNormalization(center=False),
            layers.ReLU(),
            layers.GaussianNoise(0.1),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def digits() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(4, 5, activation="relu"),
            layers.MaxPooling2D(),
            layers.ZeroPadding2D(((1, 0), (0, 2))),
            layers.DepthwiseConv2D(3, strides=2, depth_multiplier=2),
            layers.BatchNormalization(),
            layers.ReLU(6.0),
            layers.Conv2D(4, (3, 2), strides=(2, 1), padding="same"),
            layers.MaxPooling2D((2, 1), padding="same"),
            layers.Reshape((-1, 2, 2)),
            layers.GlobalAveragePooling2D(),
            layers.Dense(4),
            layers.Softmax(),
        ]
    )


def residual() -> keras.Model:
    """Values that several layers read, so that nothing behind them may join the operation that makes them."""
    image = keras.Input((16, 16, 3))
    x = layers.Rescaling(1 / 127.5, -1)(image)
    x = layers.Conv2D(8, 3, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu")(x)
    y = layers.Conv2D(8, 3, padding="same")(x)
    z = layers.ReLU()(layers.Dropout(0.5)(y))
    y = layers.BatchNormalization(scale=False)(y)
    y = layers.ReLU()(layers.Conv2D(8, 3, padding="same")(y))
    x = layers.ReLU()(layers.Add()([x, y, z]))
    w = layers.Activation("tanh")(layers.BatchNormalization()(x))
    x = layers.Concatenate()([x, w, y])
    x = layers.AveragePooling2D(3, 2, "same")(layers.SpatialDropout2D(0.2)(x))
    x = layers.Dense(7, activation="relu")(layers.Flatten()(x))
    return keras.Model(image, layers.Dense(5, activation="softmax")(x))


def mobile() -> keras.Model:
    return keras.applications.MobileNetV2((32, 32, 3), alpha=0.35, weights=None, classes=10)


def saved(model: keras.Model, path: Path) -> Path:
    """A file of the network with weights that no layer is born with."""
    rng = stream("tests", "plain keras")
    for layer in model.layers:
        spread = 0.3 if isinstance(layer, layers.BatchNormalization) else 0.1
        layer.set_weights(
            [
                np.abs(rng.normal(1, spread, one.shape)) if spread > 0.2 else one + rng.normal(0, spread, one.shape)
                for one in layer.get_weights()
            ]
        )
    model.save(path)
    return path


def run(content: bytes, inputs: np.ndarray) -> np.ndarray:
    network = Interpreter(model_content=content)
    [given], [made] = network.get_input_details(), network.get_output_details()
    network.resize_tensor_input(given["index"], inputs.shape)
    network.allocate_tensors()
    network.set_tensor(given["index"], inputs)
    network.invoke()
    return network.get_tensor(made["index"])


@pytest.mark.parametrize("make", [table, digits, residual, mobile])
def test_the_file_computes_what_keras_computes(make: Callable[[], keras.Model], tmp_path: Path) -> None:
    path = saved(make(), tmp_path / "net.keras")
    found = converted(path)
    assert found is not None
    content, scaled = found
    network = as_logits(read_as_given(path), path)
    inputs = stream("tests", "inputs").random((9, *network.input_shape[1:]), np.float32)
    inputs *= 255 if len(scaled) else 1
    expected = network.predict(inputs, verbose=0)
    np.testing.assert_allclose(run(content, inputs), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
    # TensorFlow's converter differs from Keras by as much.
    by_tensorflow = run(to_tflite(folded_where_possible(network)), inputs)
    np.testing.assert_allclose(run(content, inputs), by_tensorflow, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
    known = normalisation(network)
    assert (known is None) == (not scaled)
    for one, other in zip(scaled, known or (), strict=True):
        np.testing.assert_array_equal(one, other)


ACTIVATIONS = [None, "linear", "relu", "relu6", "sigmoid", "tanh", "softmax", "elu"]


def drawn(rng: np.random.Generator) -> keras.Model:
    """A network of a few layers, of which most can be read without Keras; their settings are drawn too."""

    def pick(*values: Any) -> Any:
        return values[rng.integers(len(values))]

    def some_activation() -> str | None:
        return ACTIVATIONS[min(len(ACTIVATIONS) - 1, int(rng.exponential(2.0)))]

    def behind(x: Any) -> Any:
        how = {"padding": pick("same", "valid"), "strides": int(rng.integers(1, 3))}
        size, bias, activation = int(rng.integers(1, 4)), bool(rng.integers(2)), some_activation()
        if len(x.shape) == 2:
            own = pick(
                layers.Dense(int(rng.integers(1, 8)), activation, bias),
                layers.BatchNormalization(center=bias),
                layers.ReLU(pick(None, 6.0)),
                layers.Dropout(0.3),
            )
            return own(x)
        channels = x.shape[-1]
        own = pick(
            layers.Conv2D(int(rng.integers(1, 7)), size, **how, activation=activation, use_bias=bias),
            layers.DepthwiseConv2D(size, **how, depth_multiplier=pick(1, 2), activation=activation, use_bias=bias),
            layers.BatchNormalization(axis=pick(-1, 3, 1), scale=bias),
            layers.ReLU(pick(None, 6.0, 4.0), threshold=pick(0.0, 0.0, 0.2)),
            layers.MaxPooling2D(size, **how),
            layers.AveragePooling2D(size, **how),
            layers.ZeroPadding2D(((0, 1), (2, 0))),
            layers.Reshape((x.shape[2], x.shape[1], channels)),
            layers.SpatialDropout2D(0.2),
            layers.Activation(activation or "relu"),
        )
        if rng.random() < 0.7:
            return own(x)
        # What one layer may join is read by another one, too.
        y = pick(layers.Conv2D(channels, size, padding="same"), layers.BatchNormalization(), layers.ReLU())(x)
        y = pick(layers.BatchNormalization(), layers.Activation(activation or "relu"))(y)
        return pick(layers.Add(), layers.Concatenate(), layers.Multiply())([x, y])

    image = x = keras.Input((9, 8, int(rng.integers(1, 4))))
    x = layers.Rescaling(1 / 255, -0.5)(x) if rng.random() < 0.3 else x
    for _ in range(rng.integers(1, 6)):
        x = behind(x) if min(x.shape[1:3]) > 2 else x
    x = behind(pick(layers.Flatten(), layers.GlobalAveragePooling2D())(x))
    return keras.Model(image, layers.Dense(4, activation=pick(None, "softmax"))(x))


def test_drawn_networks_give_the_numbers_of_keras_or_are_left_to_tensorflow(tmp_path: Path) -> None:
    rng, read = stream("tests", "drawn networks"), 0
    for _ in range(40):
        model = drawn(rng)
        if (found := converted(saved(model, tmp_path / "net.keras"))) is None:
            continue
        read += 1
        inputs = rng.normal(size=(5, *model.input_shape[1:])).astype(np.float32)
        values, expected = run(found[0], inputs), np.asarray(model(inputs))
        if model.layers[-1].activation is keras.activations.softmax:
            values = np.asarray(keras.ops.softmax(values))
        summary = [(type(layer).__name__, layer.get_config()) for layer in model.layers]
        np.testing.assert_allclose(
            values, expected, rtol=1e-3, atol=1e-5 * np.abs(expected).max(), err_msg=str(summary)
        )
    assert 10 <= read < 40


@pytest.mark.parametrize("make", [digits, residual, mobile])
def test_layers_are_found_again_in_the_file_that_tensorflow_makes(
    make: Callable[[], keras.Model], tmp_path: Path
) -> None:
    model = make()
    found = converted(saved(model, tmp_path / "net.keras"))
    assert found is not None
    own, other = (layers_of(graph, 0, graph.outputs[0]) for graph in map(Graph, (found[0], to_tflite(model))))
    names = {layer.name for layer in own}
    assert names - {"output"} <= {layer.name for layer in model.layers}
    # A padding and the softmax at the end are no layers here.
    pairs = matched(own, other)
    assert len(pairs) >= 0.8 * len(other)
    inputs = stream("tests", "inputs").random((5, *model.input_shape[1:]), np.float32)
    values = [
        {one.name: tensors[one.tensor] for one in found}
        for found, tensors in ((own, every(found[0], inputs)), (other, every(to_tflite(model), inputs)))
    ]
    for first, second in pairs:
        if first.name != "output":
            np.testing.assert_allclose(
                values[0][first.name], values[1][second.name], rtol=1e-3, atol=1e-4, err_msg=first.name
            )


def every(content: bytes, inputs: np.ndarray) -> dict[int, np.ndarray]:
    network = Interpreter(model_content=content, experimental_preserve_all_tensors=True)
    [given] = network.get_input_details()
    network.resize_tensor_input(given["index"], inputs.shape)
    network.allocate_tensors()
    network.set_tensor(given["index"], inputs)
    network.invoke()
    made = {number for one in Graph(content).operations for number in one.outputs}
    return {number: network.get_tensor(number) for number in made}


@pytest.mark.parametrize(
    "layer",
    [
        layers.Activation("softmax"),
        layers.Activation("swish"),
        layers.BatchNormalization(axis=1),
        layers.Conv2D(4, 3, dilation_rate=2),
        layers.Conv2D(4, 3, groups=2),
        layers.Conv2D(4, 3, activation="elu"),
        layers.GlobalAveragePooling2D(keepdims=True),
        layers.LayerNormalization(),
        layers.LeakyReLU(),
        layers.ReLU(2.0),
        layers.ReLU(negative_slope=0.1),
        layers.SeparableConv2D(4, 3),
        layers.Dense(4),
        layers.Conv2D(4, 3, dtype="mixed_float16"),
    ],
    ids=lambda layer: f"{type(layer).__name__} {layer.name}",
)
def test_what_it_does_not_know_is_left_to_tensorflow(layer: layers.Layer, tmp_path: Path) -> None:
    layer = type(layer).from_config(layer.get_config())
    ends = [layers.Flatten(), layers.Dense(3)]
    keras.Sequential([keras.Input((8, 8, 4)), layer, *ends]).save(tmp_path / "net.keras")
    assert converted(tmp_path / "net.keras") is None


def test_networks_of_other_forms_are_left_to_tensorflow(tmp_path: Path) -> None:
    image, other = keras.Input((8, 8, 1)), keras.Input((8, 8, 1))
    twice, out = layers.ReLU(), layers.Dense(3)(layers.Flatten()(image))
    inner = keras.Sequential([keras.Input((8, 8, 1)), layers.Flatten(), layers.Dense(3)])
    networks = {
        "two inputs": keras.Model([image, other], layers.Dense(3)(layers.Flatten()(layers.Add()([image, other])))),
        "two outputs": keras.Model(image, [out, layers.ReLU()(out)]),
        "a layer used twice": keras.Model(
            image, layers.Dense(3)(layers.Flatten()(twice(layers.Conv2D(1, 3)(twice(image)))))
        ),
        "a network inside": keras.Sequential([keras.Input((8, 8, 1)), inner, layers.ReLU()]),
        "open sides": keras.Sequential(
            [keras.Input((None, None, 1)), layers.GlobalAveragePooling2D(), layers.Dense(3)]
        ),
        "several labels": keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="sigmoid")]),
        "an image as output": keras.Sequential([keras.Input((8, 8, 1)), layers.Conv2D(1, 3)]),
        "nothing": keras.Sequential([keras.Input((4,))]),
    }
    for name, network in networks.items():
        network.save(tmp_path / "net.keras")
        assert converted(tmp_path / "net.keras") is None, name


@keras.saving.register_keras_serializable("mine")
class Dense(layers.Dense):
    """A layer with the name of one of Keras's that does something else."""

    def call(self, inputs: Any) -> Any:
        return -super().call(inputs)


def test_a_layer_with_the_name_of_one_of_keras_is_not_taken_for_it(tmp_path: Path) -> None:
    keras.Sequential([keras.Input((4,)), Dense(3)]).save(tmp_path / "net.keras")
    with zipfile.ZipFile(tmp_path / "net.keras") as archive:
        [_, layer] = json.loads(archive.read("config.json"))["config"]["layers"]
    assert layer["class_name"] == "Dense"
    assert converted(tmp_path / "net.keras") is None


def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "net.keras"
    path.write_bytes(paths().original.read_bytes()[:1000])
    with pytest.raises(QuantriftError, match=r"net\.keras: not a complete Keras file"):
        converted(path)


def test_neither_keras_nor_tensorflow_is_needed(tmp_path: Path) -> None:
    """In a process in which nobody can import either, the example pair is compared."""
    script = (
        "import sys; sys.modules |= {'keras': None, 'tensorflow': None}\n"
        "from pathlib import Path\n"
        "from quantrift.core.networks.foreign.plain_keras import converted\n"
        f"content, _ = converted(Path({str(paths().original)!r}))\n"
        f"Path({str(tmp_path / 'out.tflite')!r}).write_bytes(content)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    found = converted(paths().original)
    assert found is not None
    assert (tmp_path / "out.tflite").read_bytes() == found[0]
