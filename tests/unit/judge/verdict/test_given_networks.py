"""Networks and inputs of users are put together without a guess: what nothing decides is refused in one line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers
from tests.factories.networks import chain

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.graphs.first_operations import Start
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.judge.intake.expected_ranges import expected
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.intake.fitting_networks import check_fit
from quantrift.judge.intake.given_inputs import Arrays, read
from quantrift.judge.intake.given_networks import Ready, compressed, original
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, (60, 6, 5, 3)).astype(np.uint8)
TINY = Size(seeds=6, generations=2, queries=20, vectors=2, shrunk=2, layer_inputs=4)


@pytest.fixture(scope="module")
def files() -> Iterator[ForeignFiles]:
    with ForeignFiles() as reader:
        yield reader


def image_network(*front: layers.Layer, activation: str | None = None, outputs: int = 4) -> keras.Model:
    last = layers.Dense(outputs, activation, kernel_initializer="random_normal")
    return chain((6, 5, 3), *front, layers.Conv2D(4, 3), layers.GlobalAveragePooling2D(), last)


def saved(path: Path, model: keras.Model) -> Path:
    if path.suffix in (".keras", ".h5"):
        model.save(path)
    else:
        path.write_bytes(to_tflite(model) if path.suffix == ".tflite" else to_onnx(model))
    return path


def in_8_bits(path: Path, model: keras.Model, x: np.ndarray, outside: tf.DType = tf.float32) -> Path:
    """``model`` quantized for inputs like ``x``."""

    def change(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([row[None]] for row in x)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = outside

    path.write_bytes(to_tflite(model, change))
    return path


def refused(what: Any, *given: Any) -> str:
    with pytest.raises(QuantriftError) as caught:
        what(*given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


SUFFIXES = pytest.mark.parametrize("suffix", [".keras", ".tflite", ".onnx"])


@SUFFIXES
def test_a_layout_that_nothing_tells_is_asked_for_and_travels_with_the_file(
    suffix: str, files: ForeignFiles, tmp_path: Path
) -> None:
    if suffix == ".onnx":
        pytest.importorskip("tf2onnx")
    model = chain((3, 6, 5), layers.Flatten(), layers.Dense(4))
    path = saved(tmp_path / f"net{suffix}", model)
    assert "say --layout channels_last or --layout channels_first" in refused(original, path, tmp_path, files)
    ready = original(path, tmp_path, files, InputForm(layout="channels_first"))
    copied = tmp_path / f"copied{ready.path.suffix}"
    copied.write_bytes(ready.path.read_bytes())
    x = RNG.random((5, 6, 5, 3)).astype(np.float32)
    said = np.asarray(model(np.moveaxis(x, 3, 1)))
    for network in (ready.network, load_runtime(ready.runtime, copied)):
        assert network.input_shape == (6, 5, 3)
        np.testing.assert_allclose(network(x), said, rtol=1e-4, atol=1e-5)
    if ready.source is not None:
        np.testing.assert_allclose(ready.source(x), said, rtol=1e-4, atol=1e-5)
    assert original(path, tmp_path, files, InputForm(layout="channels_last")).network.input_shape == (3, 6, 5)
    assert any("takes channels first, as --layout says" in line for line in ready.assumed)


@pytest.mark.slow
def test_a_compressed_network_that_leaves_its_layout_open_is_held_against_the_originals(
    files: ForeignFiles, tmp_path: Path
) -> None:
    last = saved(tmp_path / "last.tflite", chain((6, 5, 3), layers.Flatten(), layers.Dense(4)))
    first = saved(tmp_path / "first.tflite", chain((3, 6, 5), layers.Flatten(), layers.Dense(4)))
    whole = original(saved(tmp_path / "net.keras", image_network()), tmp_path, files)
    check_fit(whole, compressed(last, files))
    assert "first.tflite: takes 3 x 6 x 5, and has no operation that tells" in refused(
        check_fit, whole, compressed(first, files)
    )
    check_fit(whole, compressed(first, files, InputForm(layout="channels_first")))


def test_a_layout_that_a_file_contradicts_is_refused(files: ForeignFiles, tmp_path: Path) -> None:
    path = saved(tmp_path / "net.tflite", image_network())
    said = refused(original, path, tmp_path, files, InputForm(layout="channels_first"))
    assert "takes channels last, as its CONV_2D says; leave out --layout channels_first" in said


@pytest.mark.parametrize("shape", [(1, 40, 3), (40, 1, 3), (50, 6, 1), (4, 40)])
def test_shapes_of_signals_are_images_only_if_somebody_says_so(
    shape: tuple[int, ...], files: ForeignFiles, tmp_path: Path
) -> None:
    parts = () if len(shape) == 3 else (layers.Reshape((*shape, 1)),)
    model = chain(shape, *parts, layers.Conv2D(4, 1), layers.GlobalAveragePooling2D(), layers.Dense(4))
    path = saved(tmp_path / "net.tflite", model)
    assert "say --space image_distortions" in refused(original, path, tmp_path, files)
    assert original(path, tmp_path, files, InputForm(space="image_distortions")).network.classes == 4


def test_what_is_no_image_is_refused_even_with_a_space(files: ForeignFiles, tmp_path: Path) -> None:
    signal = chain((20, 20), layers.Conv1D(4, 3), layers.GlobalAveragePooling1D(), layers.Dense(4))
    path = saved(tmp_path / "signal.tflite", signal)
    form = InputForm(space="image_distortions")
    assert "takes signals, as its CONV_2D says; leave out --space" in refused(original, path, tmp_path, files, form)
    table = saved(tmp_path / "table.keras", chain((12,), layers.Dense(4)))
    assert "takes 12, which is no image; leave out --space" in refused(original, table, tmp_path, files, form)
    write_arrays(tmp_path / "x.npz", {"inputs": RNG.random(5)})
    assert "or row of a table (n, F)" in refused(read, tmp_path / "x.npz")


@SUFFIXES
def test_a_convolution_or_one_side_tells_signals_and_tables(suffix: str, files: ForeignFiles, tmp_path: Path) -> None:
    if suffix == ".onnx":
        pytest.importorskip("tf2onnx")
    signal = chain((20, 3), layers.Conv1D(4, 3), layers.GlobalAveragePooling1D(), layers.Dense(4))
    for kind, model, shape in (("signal", signal, (1, 20, 3)), ("table", chain((12,), layers.Dense(4)), (1, 1, 12))):
        one = original(saved(tmp_path / f"{kind}{suffix}", model), tmp_path, files)
        assert (one.network.signature.kind, one.network.input_shape) == (kind, shape)
        x = RNG.random((5, *shape)).astype(np.float32)
        said = np.asarray(model(x.reshape(5, *model.input_shape[1:])))
        np.testing.assert_allclose(one.network(x), said, rtol=1e-4, atol=1e-5)
        if one.source is not None:
            np.testing.assert_allclose(one.source(x), said, rtol=1e-4, atol=1e-5)


def test_two_sides_are_a_signal_only_if_somebody_says_so(files: ForeignFiles, tmp_path: Path) -> None:
    model = chain((20, 6), layers.Flatten(), layers.Dense(4))
    path = saved(tmp_path / "net.tflite", model)
    assert original(path, tmp_path, files).network.signature.kind == "image"
    form = InputForm(space="signal_distortions")
    assert "say --layout channels_last or --layout channels_first" in refused(original, path, tmp_path, files, form)
    x = RNG.random((5, 20, 6)).astype(np.float32)
    said = np.asarray(model(x))
    last = original(path, tmp_path, files, InputForm("channels_last", space="signal_distortions")).network
    first = original(path, tmp_path, files, InputForm("channels_first", space="signal_distortions")).network
    assert (last.input_shape, first.input_shape) == ((1, 20, 6), (1, 6, 20))
    np.testing.assert_allclose(last(x[:, None]), said, rtol=1e-4, atol=1e-5)
    turned = np.ascontiguousarray(np.moveaxis(x, 1, 2))[:, None]
    np.testing.assert_allclose(first(turned), said, rtol=1e-4, atol=1e-5)
    assert "which is no row of a table" in refused(
        original, path, tmp_path, files, InputForm(space="table_distortions")
    )


@pytest.mark.parametrize("labels", [RNG.random(5), RNG.normal(size=(5, 2))], ids=["numbers", "rows of numbers"])
def test_labels_of_a_regression_are_refused(labels: np.ndarray, tmp_path: Path) -> None:
    write_arrays(tmp_path / "x.npz", {"inputs": BYTES[:5], "labels": labels})
    assert "a regression is not compared by labels" in refused(read, tmp_path / "x.npz")


def ready(path: Path, files: ForeignFiles, form: InputForm = FROM_FILES) -> Ready:
    return original(path, path.parent, files, form)


@pytest.mark.slow
def test_one_output_is_a_logit_if_a_sigmoid_or_labels_say_so(files: ForeignFiles, tmp_path: Path) -> None:
    linear = ready(saved(tmp_path / "linear.tflite", image_network(outputs=1)), files)
    sigmoid = ready(saved(tmp_path / "sigmoid.tflite", image_network(activation="sigmoid", outputs=1)), files)
    x = RNG.random((12, 6, 5, 3)).astype(np.float32)
    inputs = tmp_path / "x.npz"
    assert "may be a logit or a regression's number" in refused(fitted, Arrays(x, None, None), inputs, linear, [linear])
    assert "it is a regression" in refused(fitted, Arrays(x, np.arange(12), None), inputs, linear, [linear])
    assert fitted(Arrays(x, np.arange(12) % 2, None), inputs, linear, [linear]).inputs.class_names == ["0", "1"]
    assert len(fitted(Arrays(x, None, None), inputs, linear, [sigmoid]).inputs) == 12


@pytest.mark.parametrize(
    ("suffix", "line"),
    [(".h5", "0 of 12 inputs another label than before"), (".keras", "translated without Keras, and not compared")],
)
@pytest.mark.slow
def test_a_single_logit_from_keras_is_assessed(suffix: str, line: str, tmp_path: Path) -> None:
    x = RNG.normal(size=(12, 6, 5, 3)).astype(np.float32)
    model = image_network(activation="sigmoid", outputs=1)
    path = saved(tmp_path / f"net{suffix}", model)
    labels = (np.asarray(model(x))[:, 0] > 0.5).astype(int)
    assert 0 < labels.sum() < 12
    write_arrays(tmp_path / "x.npz", {"inputs": x, "labels": labels})
    exact = saved(tmp_path / "same.tflite", model)
    found = assess(path, [exact], tmp_path / "x.npz", tmp_path / "out", Settings(size=TINY))
    assert found.inputs.classes == ["0", "1"]
    assert found.candidates[0].clean.accuracy_original == 1
    assert [tool.dii for tool in found.candidates[0].tools if tool.judged] == [0, 0]
    assert any(line in one for one in found.assumed)


@pytest.mark.parametrize(
    ("front", "padding"),
    [
        (lambda: layers.Rescaling(1 / 255), "valid"),
        (lambda: layers.Rescaling(1 / 127.5, offset=-1), "same"),
        (lambda: layers.Normalization(mean=[120.0, 110.0, 100.0], variance=[3600.0, 3300.0, 3200.0]), "same"),
    ],
    ids=["rescaled, which conversion hides", "rescaled", "standardised"],
)
def test_bytes_go_as_they_are_into_a_network_that_standardises_them(
    front: Any, padding: str, files: ForeignFiles, tmp_path: Path
) -> None:
    model = chain((6, 5, 3), front(), layers.Conv2D(4, 3, padding=padding), layers.Flatten(), layers.Dense(4))
    for path in (tmp_path / "net.keras", tmp_path / "net.tflite")[: 1 + (padding == "same")]:
        one = ready(saved(path, model), files)
        said = fitted(Arrays(BYTES, None, None), tmp_path / "x.npz", one, [one])
        np.testing.assert_array_equal(said.inputs.take(said.inputs.test), BYTES)
        [line] = [line for line in said.assumed if line.startswith("scaling")]
        assert line.endswith(f"{path.name} standardises its inputs itself")


@pytest.mark.slow
def test_bytes_for_a_network_that_does_not_say_are_asked_for(files: ForeignFiles, tmp_path: Path) -> None:
    one = ready(saved(tmp_path / "net.tflite", image_network()), files)
    arrays = Arrays(BYTES, None, None)
    assert "give --range 0 1" in refused(fitted, arrays, tmp_path / "x.npz", one, [one])
    for name, scaled in (("unit", BYTES / np.float32(255)), ("signed", BYTES / np.float32(127.5) - 1)):
        small = compressed(in_8_bits(tmp_path / f"{name}.tflite", image_network(), scaled), files)
        said = fitted(arrays, tmp_path / "x.npz", one, [small])
        np.testing.assert_allclose(said.inputs.take(said.inputs.test), scaled, atol=1e-6)
        assert f"the 8-bit input of {name}.tflite stands for" in said.assumed[-1]


def test_images_taken_as_bytes_are_given_as_bytes(files: ForeignFiles, tmp_path: Path) -> None:
    given = keras.Input((6, 5, 3), dtype="uint8")
    model = keras.Model(given, image_network()(keras.ops.cast(given, "float32") / 255))
    one = ready(saved(tmp_path / "net.tflite", model), files)
    said = fitted(Arrays(BYTES, None, None), tmp_path / "x.npz", one, [one])
    np.testing.assert_array_equal(said.inputs.take(said.inputs.test), BYTES)


def saturation(path: Path, values: np.ndarray) -> float:
    """Share of values that the integers at the input of a network cannot stand for."""
    return expected(path, path.name, Start()).outside(values)


@pytest.mark.parametrize("outside", [tf.float32, tf.int8, tf.uint8])
@pytest.mark.slow
def test_an_input_that_saturates_is_a_finding(outside: tf.DType, files: ForeignFiles, tmp_path: Path) -> None:
    x = BYTES / np.float32(255)
    narrow = in_8_bits(tmp_path / "narrow.tflite", image_network(), x / 2, outside)
    sound = in_8_bits(tmp_path / "sound.tflite", image_network(), x, outside)
    one = ready(saved(tmp_path / "net.tflite", image_network()), files)
    labels = one.network(x).argmax(axis=1)
    compared = [compressed(path, files) for path in (narrow, sound)]
    [found] = fitted(Arrays(x, labels, None), tmp_path / "x.npz", one, compared).findings
    assert found.expected.name == "narrow.tflite"
    assert found.share == saturation(narrow, x) == pytest.approx(0.5, abs=0.02)
    assert found.range == pytest.approx((0, 0.5), abs=0.01)
    assert saturation(sound, x) == saturation(one.path, x) == 0


def test_the_integers_of_an_onnx_file_tell_their_range(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    value = onnx.numpy_helper.from_array
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"])],
        "network",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3, 6, 5])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT8, ["n", 3, 6, 5])],
        [value(np.array(1 / 128, np.float32), "scale"), value(np.array(0, np.int8), "zero")],
    )
    path = tmp_path / "net.onnx"
    path.write_bytes(onnx.helper.make_model(graph).SerializeToString())
    found = expected(path, "net.onnx", Start())
    assert found.range == pytest.approx((-1, 127 / 128))
    assert found.scale is not None
    assert found.scale[0] == (-1, 1)
    assert saturation(path, np.array([-1.1, -1, 0.5, 2], np.float32)) == 0.5


def test_several_inputs_are_named_where_they_are_refused(files: ForeignFiles, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    image, meta = keras.Input((6, 5, 3), name="image"), keras.Input((4,), name="meta")
    flat = layers.Concatenate()([layers.Flatten()(image), meta])
    model = keras.Model({"image": image, "meta": meta}, layers.Dense(3)(flat))
    for suffix in (".keras", ".tflite"):
        given = saved(tmp_path / f"net{suffix}", model)
        said = refused(original, given, tmp_path, files)
        assert "has 2 inputs" in said
        assert "'image' 6 x 5 x 3" in said
        assert "'meta' 4" in said
        assert "quantrift.api.Function" in said
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    taken = [helper.make_tensor_value_info(name, kind, [1, 4]) for name in ("first", "second")]
    graph = helper.make_graph(
        [helper.make_node("Add", ["first", "second"], ["sum"])],
        "network",
        taken,
        [helper.make_tensor_value_info("sum", kind, [1, 4])],
    )
    content = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    (tmp_path / "net.onnx").write_bytes(content)
    said = refused(original, tmp_path / "net.onnx", tmp_path, files)
    assert "has 2 inputs ('first' 4, 'second' 4)" in said
