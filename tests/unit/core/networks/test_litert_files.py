"""The runtime on .tflite files that others made: their types, shapes, endings and batch sizes."""

from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs import signature
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.tflite_graph import OPERATIONS
from quantrift.core.search.objective import softmax

X = np.random.default_rng(0).random((30, 6, 5, 3)).astype(np.float32)
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a network as .tflite; in 8 bits, inside and out, if a type is given, and for one batch if it is given."""

    def written(model: keras.Model, outside: tf.DType | None = None, batch: int | None = None) -> Path:
        def in_8_bits(converter: tf.lite.TFLiteConverter) -> None:
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: ([x[None]] for x in X)
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = converter.inference_output_type = outside

        path = tmp_path / "network.tflite"
        if batch is None:
            path.write_bytes(to_tflite(model, in_8_bits if outside else None))
        else:
            archive = keras.export.ExportArchive()
            archive.track(model)
            archive.add_endpoint("serve", model.call, [tf.TensorSpec((batch, *model.input_shape[1:]))])
            archive.write_out(tmp_path / "saved", verbose=False)
            path.write_bytes(tf.lite.TFLiteConverter.from_saved_model(str(tmp_path / "saved")).convert())
        return path

    return written


def network(activation: str | None = None, image: tuple[int | None, ...] = (6, 5, 3)) -> keras.Model:
    """A small network with random weights, the same each time."""
    keras.utils.set_random_seed(0)
    x = given = keras.Input(image)
    x = layers.Conv2D(4, 3, activation="relu")(x)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(given, layers.Dense(4, activation=activation, kernel_initializer="random_normal")(x))


def one_by_one(path: Path, x: np.ndarray) -> np.ndarray:
    """The plain interpreter's outputs (n, K) as they are, a row at a time."""
    interpreter = Interpreter(model_path=str(path), num_threads=1)
    interpreter.allocate_tensors()
    [given], [result] = interpreter.get_input_details(), interpreter.get_output_details()
    rows = []
    for row in x:
        interpreter.set_tensor(given["index"], row[None])
        interpreter.invoke()
        rows.append(interpreter.get_tensor(result["index"]).ravel())
    return np.stack(rows)


@pytest.mark.slow
def test_a_softmax_at_the_end_is_undone_up_to_a_constant(write: Write) -> None:
    probabilities = one_by_one(path := write(network("softmax")), X)
    logits = LiteRT(path)(X)
    np.testing.assert_allclose(softmax(logits), probabilities, rtol=1e-5)
    np.testing.assert_array_equal(logits.max(axis=1), 0)
    np.testing.assert_array_equal(logits.argmax(axis=1), probabilities.argmax(axis=1))
    plain = LiteRT(write(network()))(X)
    np.testing.assert_allclose(logits, plain - plain.max(axis=1, keepdims=True), atol=1e-5)


def test_probabilities_one_step_apart_keep_their_label_and_zeros_stay_finite(write: Write) -> None:
    p = np.float32(0.4)
    x = np.array([[p, np.nextafter(p, np.float32(1)), 0, 0.2], [0.5, 0.5, 0, 0]], np.float32)
    path = write(network("softmax"))
    logits = LiteRT(path).signature.decoded(x, 2)
    assert logits.argmax(axis=1).tolist() == [1, 0]
    assert np.isfinite(logits).all()
    np.testing.assert_allclose(softmax(logits)[1], [0.5, 0.5, 0, 0], atol=1e-37)


@pytest.mark.parametrize("outside", [tf.int8, tf.uint8])
@pytest.mark.parametrize("activation", [None, "softmax"])
def test_integers_outside_are_scaled_as_the_file_says(write: Write, outside: tf.DType, activation: str | None) -> None:
    path = write(network(activation), outside)
    interpreter = Interpreter(model_path=str(path))
    [given], [result] = interpreter.get_input_details(), interpreter.get_output_details()
    limits = np.iinfo(given["dtype"])
    scale, zero = given["quantization"]
    wild = np.concatenate([X, X + 100, X - 100])
    numbers = np.clip(np.rint(wild / np.float32(scale)) + zero, limits.min, limits.max).astype(given["dtype"])
    scale, zero = result["quantization"]
    expected = (one_by_one(path, numbers).astype(np.float32) - zero) * np.float32(scale)
    logits = LiteRT(path)(wild)
    if activation is None:
        np.testing.assert_array_equal(logits, expected)
    else:
        np.testing.assert_allclose(softmax(logits), expected / expected.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.slow
def test_images_taken_as_bytes_keep_their_values(write: Write) -> None:
    given = keras.Input((6, 5, 3), dtype="uint8")
    model = keras.Model(given, network()(keras.ops.cast(given, "float32")))
    pixels = np.rint(255 * X)
    expected = LiteRT(write(network()))(pixels)
    np.testing.assert_array_equal(LiteRT(write(model))(pixels), expected)


@pytest.mark.slow
def test_images_without_channels_and_of_3d_networks_are_images_too(write: Write) -> None:
    flat = LiteRT(write(keras.Sequential([keras.Input((6, 5)), layers.Flatten(), layers.Dense(4)])))
    assert flat.input_shape == (6, 5, 1)
    assert flat(X[..., :1]).shape == (30, 4)
    cube = keras.Input((6, 5, 3, 1))
    deep = keras.Model(cube, layers.Dense(4)(layers.Flatten()(layers.Conv3D(2, 3)(cube))))
    path = write(deep)
    np.testing.assert_allclose(LiteRT(path)(X), one_by_one(path, X[..., None]), rtol=1e-5, atol=1e-6)


def test_outputs_of_one_pixel_are_logits(write: Write) -> None:
    given = keras.Input((6, 5, 3))
    path = write(keras.Model(given, layers.Conv2D(7, (6, 5), activation="softmax")(given)))
    assert LiteRT(path).classes == 7
    np.testing.assert_allclose(softmax(LiteRT(path)(X)), one_by_one(path, X), rtol=1e-5)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.slow
def test_a_file_for_one_batch_size_runs_on_others_where_no_bit_changes(write: Write, batch: int) -> None:
    expected = one_by_one(write(network(), batch=1), X)
    runtime = LiteRT(write(network(), batch=batch))
    np.testing.assert_array_equal(runtime(X), expected)
    assert runtime.fixed == 0


def test_a_file_whose_results_would_change_with_its_batch_keeps_it(write: Write) -> None:
    given = keras.Input((6, 5, 3))
    flat = layers.Flatten()(given)
    # The mean over a batch of one is the input itself.
    model = keras.Model(given, layers.Dense(4)(flat + keras.ops.mean(flat, axis=0, keepdims=True)))
    runtime = LiteRT(path := write(model, batch=1))
    np.testing.assert_array_equal(runtime(X), one_by_one(path, X))
    assert runtime.fixed == 1


def in_fours() -> keras.Model:
    """A network that cannot take any number of inputs but 4."""
    given = keras.Input((6, 5, 3), batch_size=4)
    return keras.Model(given, layers.Dense(4)(keras.ops.reshape(given, (4, 90))))


def test_a_file_that_runs_on_its_own_batch_alone_is_filled_up(write: Write) -> None:
    runtime = LiteRT(write(in_fours(), batch=4))
    logits = runtime(X)
    assert runtime.fixed == 4
    for cut in (1, 4, 7, 29):
        np.testing.assert_array_equal(np.concatenate([runtime(X[:cut]), runtime(X[cut:])]), logits)
    assert runtime(X[:0]).shape == (0, 4)


def test_a_file_that_keeps_its_batch_to_itself_is_refused(write: Write) -> None:
    with pytest.raises(QuantriftError, match="cannot be run on 30 inputs at once .* build it with an open batch"):
        LiteRT(write(in_fours()))(X)


def volumes() -> keras.Model:
    return keras.Sequential([keras.Input((4, 4, 4, 2)), layers.Flatten(), layers.Dense(2)])


def pair_of(given: keras.KerasTensor) -> keras.Model:
    flat = layers.Flatten()(given)
    return keras.Model(given, [layers.Dense(4)(flat), layers.Dense(2)(flat)])


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (lambda: network("sigmoid"), "ends in a sigmoid"),
        (lambda: network(image=(None, None, 3)), r"expected one image \(n, H, W, C\), signal .* inputs of one size"),
        (volumes, r"expected one image .* got \(4, 4, 4, 2\)"),
        (lambda: keras.Sequential([keras.Input((6, 5, 3)), layers.Conv2D(2, 3)]), r"expected logits .* \(4, 3, 2\)"),
        (lambda: pair_of(keras.Input((6, 5, 3))), "has 2 outputs .*--output NAME says which"),
        (lambda: keras.Sequential([keras.Input((6, 5, 3), dtype="int32"), layers.Flatten()]), "takes int32"),
    ],
)
def test_anything_but_a_classifier_of_images_is_refused(
    write: Write, model: Callable[[], keras.Model], match: str
) -> None:
    with pytest.raises(QuantriftError, match=match):
        LiteRT(write(model()))


def test_operations_that_end_networks_are_operations_of_the_schema() -> None:
    assert {signature.SOFTMAX, signature.SIGMOID} <= {*OPERATIONS.values()}
