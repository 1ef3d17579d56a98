"""Networks made here run by what the interpreter says of them, to the same bits as by the readers of given files."""

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.layer_values import neurons, tflite_layers
from quantrift.core.networks.own import litert as own
from quantrift.core.networks.runtimes import litert as given
from quantrift.core.networks.tflite_files import to_tflite

IMAGE = (6, 6, 2)


def written(path: Path, *stack: layers.Layer, dtype: str = "float32") -> Path:
    path.write_bytes(to_tflite(keras.Sequential([keras.Input(IMAGE, dtype=dtype), *stack])))
    return path


@pytest.mark.parametrize("form", ["original", "compressed"])
def test_logits_and_batches_are_those_of_the_runtime_of_given_files(
    form: str, trained: Path, compressed: Path, tiny_scene: ScenePatches
) -> None:
    path = trained / "original.tflite" if form == "original" else compressed / "model.tflite"
    ours, theirs = own.LiteRT(path, 7), given.LiteRT(path, 7)
    x = tiny_scene.take(tiny_scene.test[:20])
    assert (ours.input_shape, ours.classes) == (theirs.input_shape, theirs.classes) == ((9, 9, 13), 3)
    assert ours(x).tobytes() == theirs(x).tobytes()
    first, second = neurons.Neurons(path), tflite_layers.Neurons(path)
    assert first.layers.tolist() == second.layers.tolist()
    for one, other in zip(first(x), second(x), strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_file_of_other_ends_was_not_made_here(tmp_path: Path) -> None:
    flat = written(tmp_path / "logits.tflite", layers.Flatten(), layers.Dense(3))
    assert own.LiteRT(flat).classes == 3
    maps = written(tmp_path / "maps.tflite", layers.Conv2D(3, 3))
    with pytest.raises(QuantriftError, match=r"maps\.tflite: not a network that was made here; build it again"):
        own.LiteRT(maps)


def test_a_file_of_one_batch_size_was_not_made_here(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input(IMAGE, batch_size=4), layers.Flatten(), layers.Dense(3)])
    path = tmp_path / "four.tflite"
    path.write_bytes(tf.lite.TFLiteConverter.from_keras_model(model).convert())
    assert given.LiteRT(path).classes == 3
    with pytest.raises(QuantriftError, match="not a network that was made here"):
        own.LiteRT(path)


@pytest.mark.parametrize("content", [b"", b"nothing", b"\x1c\0\0\0TFL3" + bytes(60)], ids=["empty", "text", "bare"])
def test_what_is_no_network_is_refused_before_the_interpreter_sees_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.tflite"
    path.write_bytes(content)
    with pytest.raises(QuantriftError, match=r"damaged\.tflite: not a readable \.tflite file .*; build it again"):
        own.LiteRT(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    for load in (own.LiteRT, neurons.Neurons):
        with pytest.raises(QuantriftError, match="no such file"):
            load(tmp_path / "none.tflite")


def test_a_network_that_gave_back_its_memory_runs_as_before(trained: Path, tiny_scene: ScenePatches) -> None:
    network = own.LiteRT(trained / "original.tflite")
    inputs = tiny_scene.take(tiny_scene.test[:7])
    expected = network(inputs)
    network.release()
    assert network(inputs).tobytes() == expected.tobytes()
    assert expected.dtype == np.float32
