"""Neurons: what they are, bit for bit the same however they are asked for, and which ones two networks share."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.layer_values.neurons import PROBABILITIES, shared
from quantrift.core.networks.layer_values.tflite_layers import LayeredTFLite, Neurons
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite

IMAGES = np.random.default_rng(0).random((9, 6, 6, 2), np.float32)


@pytest.fixture(params=["original", "8 bits"])
def network(request: pytest.FixtureRequest, trained: Path, compressed: Path) -> Path:
    """File of a network in float, and in 8 bits."""
    return compressed / "model.tflite" if request.param == "8 bits" else trained / "original.tflite"


def converted(path: Path, *stack: layers.Layer, batch: int | None = None) -> Path:
    """File of a network of some layers for images of 6x6x2."""
    path.write_bytes(to_tflite(keras.Sequential([keras.Input((6, 6, 2), batch_size=batch), *stack], name="net")))
    return path


def renamed(path: Path, name: bytes, other: bytes) -> Path:
    """A copy of a file with other names, of the same length."""
    copy = path.with_stem(f"{path.stem}_renamed")
    copy.write_bytes(path.read_bytes().replace(name, other))
    return copy


def test_neurons_are_means_of_channels_and_values_of_units(network: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test)
    neurons = Neurons(network)
    logits, values = neurons(x)
    expected = {
        name: found.mean(axis=tuple(range(1, found.ndim - 1)), dtype=np.float64)
        for name, found in LayeredTFLite(network)(x).items()
        if name != "flatten"
    }
    assert neurons.layers.tolist() == [name for name, found in expected.items() for _ in range(found.shape[1])]
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, np.concatenate([*expected.values()], axis=1), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(values[:, -logits.shape[1] :], logits)


def test_logits_are_bit_identical_to_plain_inference(network: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test)
    assert Neurons(network)(x)[0].tobytes() == LiteRT(network)(x).tobytes()


def test_what_stands_beside_an_input_changes_no_bit(network: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test)
    expected = Neurons(network)(x)
    for batch in (1, 7, 64):
        for found, of_all in zip(Neurons(network, batch)(x), expected, strict=True):
            assert found.tobytes() == of_all.tobytes()
    neurons = Neurons(network)
    for chosen in (slice(0, 1), slice(5, 22), slice(None, None, -1)):
        for found, of_all in zip(neurons(x[chosen]), expected, strict=True):
            assert found.tobytes() == of_all[chosen].tobytes()


def test_the_order_in_memory_changes_no_bit(network: Path, tiny_scene: ScenePatches) -> None:
    x = tiny_scene.take(tiny_scene.test[:40])
    neurons = Neurons(network)
    for found, expected in zip(neurons(np.asfortranarray(x)), neurons(x), strict=True):
        assert found.flags.c_contiguous
        assert found.tobytes() == expected.tobytes()


def test_no_inputs_give_no_rows(network: Path, tiny_scene: ScenePatches) -> None:
    neurons = Neurons(network)
    logits, values = neurons(tiny_scene.take([]))
    assert (logits.shape, values.shape) == ((0, 3), (0, len(neurons.layers)))


def test_a_file_for_one_batch_size_is_filled_up(tmp_path: Path) -> None:
    path = converted(tmp_path / "four.tflite", layers.Conv2D(5, 3, name="conv"), layers.GlobalMaxPool2D(), batch=4)
    logits, values = Neurons(path)(IMAGES)
    assert (logits.shape, values.shape) == ((9, 5), (9, 10))
    np.testing.assert_allclose(values[:, :5], LayeredTFLite(path)(IMAGES)["conv"].mean(axis=(1, 2)), rtol=1e-5)


def test_layers_that_only_pass_on_what_others_computed_have_no_neurons(tmp_path: Path) -> None:
    stack = layers.Reshape((36, 2), name="lines"), layers.Conv1D(4, 3, name="conv"), layers.Flatten(), layers.Dense(3)
    neurons = Neurons(converted(tmp_path / "lines.tflite", *stack))
    assert neurons.layers.tolist() == ["conv"] * 4 + ["output"] * 3


def test_a_softmax_gives_probabilities_beside_its_logits(tmp_path: Path) -> None:
    path = converted(tmp_path / "softmax.tflite", layers.Flatten(), layers.Dense(3, activation="softmax"))
    logits, values = Neurons(path)(IMAGES)
    np.testing.assert_array_equal(logits, LiteRT(path)(IMAGES))
    np.testing.assert_allclose(values[:, -3:].sum(axis=1), 1, rtol=1e-6)
    assert Neurons(path).layers[-3:].tolist() == [PROBABILITIES] * 3


@pytest.mark.slow
def test_a_3d_network_has_the_neurons_of_its_2d_twin(trained: Path, tiny_scene: ScenePatches, tmp_path: Path) -> None:
    path = tmp_path / "3d.tflite"
    path.write_bytes(to_tflite(load(trained / "model.keras")))
    first, second = Neurons(trained / "original.tflite"), Neurons(path)
    ours, theirs = zip(*shared(first.groups, second.groups), strict=True)
    assert list(ours) == first.groups
    x = tiny_scene.take(tiny_scene.test[:5])
    np.testing.assert_allclose(second.only(theirs)(x)[1], first(x)[1], rtol=1e-3, atol=1e-4)


def names(original: Path, other: Path) -> list[tuple[str, str]]:
    """Names of the layers that two networks share."""
    pairs = shared(Neurons(original).groups, Neurons(other).groups)
    return [(one.layer.name, match.layer.name) for one, match in pairs]


@pytest.mark.slow
def test_networks_share_layers_with_the_same_name_and_size(tmp_path: Path) -> None:
    original, student = (
        converted(
            tmp_path / f"{width}.tflite",
            layers.Conv2D(4, 3, name="conv"),
            layers.Conv2D(width, 3, name="narrow"),
            layers.Flatten(),
            layers.Dense(3),
        )
        for width in (8, 2)
    )
    assert names(original, student) == [("conv", "conv"), ("output", "output")]


@pytest.mark.slow
def test_layers_fused_into_one_count_once(tmp_path: Path) -> None:
    apart = layers.Conv2D(4, 3, name="conv"), layers.MaxPool2D(1, name="pool"), layers.ReLU(name="relu")
    fused = layers.Conv2D(4, 3, name="conv"), layers.ReLU(name="relu")
    first, second = (
        converted(tmp_path / f"{len(stack)}.tflite", *stack, layers.Flatten(), layers.Dense(3))
        for stack in (apart, fused)
    )
    assert names(first, second) == [("relu", "relu"), ("output", "output")]


def test_layers_are_matched_by_their_order_where_names_tell_nothing(tmp_path: Path) -> None:
    stack = layers.Conv2D(4, 3, name="conv"), layers.Flatten(), layers.Dense(5, name="unit"), layers.Dense(3)
    path = converted(tmp_path / "model.tflite", *stack)
    other = renamed(renamed(path, b"/conv", b"/fold"), b"/unit", b"/part")
    assert names(path, other) == [("conv", "fold"), ("unit", "part"), ("output", "output")]


def test_names_without_the_network_in_front_tell_layers_too(tmp_path: Path) -> None:
    path = converted(tmp_path / "model.tflite", layers.Conv2D(4, 3, name="conv"), layers.Flatten(), layers.Dense(3))
    assert Neurons(renamed(path, b"net_1/", b"new_1_")).layers[0] == "new_1_conv"


@pytest.mark.slow
def test_logits_are_not_compared_with_probabilities(tmp_path: Path) -> None:
    first, second = (
        converted(tmp_path / f"{kind}.tflite", layers.Conv2D(3, 6, name="conv"), layers.Flatten(), *end)
        for kind, end in (("logits", ()), ("softmax", (layers.Softmax(),)))
    )
    assert ("output", PROBABILITIES) not in names(first, second)
    assert names(second, second)[-1] == (PROBABILITIES, PROBABILITIES)


def test_wrong_files_and_inputs_are_refused(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "damaged.tflite").write_bytes(b"no network")
    with pytest.raises(QuantriftError, match="not a readable .tflite file"):
        Neurons(tmp_path / "damaged.tflite")
    with pytest.raises(QuantriftError, match="expected float32 inputs"):
        Neurons(trained / "original.tflite")(np.zeros((2, 9, 9, 12), np.float32))
