"""Suspected layers: none in sound networks however they were compressed, and the right one in networks with a fault."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import flatbuffers
import keras
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from keras import layers
from sklearn.datasets import load_digits
from tests.factories.shared import slow

from quantrift.core.base.archive import read_arrays
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.worker import AS_GIVEN, Worker
from quantrift.core.networks.layer_comparison import layer_errors
from quantrift.core.networks.layer_errors import LayerError
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_networks import original
from quantrift.judge.verdict.suspects import suspects

Fault = Literal["x0.5", "x1.5", "x2", "bias", "shift", "channel"]
KINDS = ("dynamic", "float16", "int8", "per_tensor")
WEIGHTED = {
    schema.BuiltinOperator.CONV_2D,
    schema.BuiltinOperator.DEPTHWISE_CONV_2D,
    schema.BuiltinOperator.FULLY_CONNECTED,
}
SHIFT = 6
"""Steps of a layer's grid by which its outputs are moved, as by a zero point that is off."""


def error(name: str, whole: float | None, own: float | None = None, reads: tuple[str, ...] = ()) -> LayerError:
    return LayerError(name, "int8", 10, 10, whole, 1.0, 0.0, None, own, None if own is None else 1.0, reads)


def chain(*ratios: tuple[float, float]) -> list[LayerError]:
    """Layers named by letters, each of which reads the one before; ratios of the whole error and of its own."""
    names = [*"abcdefgh"[: len(ratios) - 1], "output"]
    reads = [(), *((name,) for name in names)]
    return [error(name, *both, read) for name, both, read in zip(names, ratios, reads, strict=False)]


def test_errors_that_add_up_slowly_are_not_suspected() -> None:
    assert suspects(chain((33, 33), (28, 30), (19, 29), (12, 28), (5, 29))) == {}


def test_the_layer_that_adds_the_error_is_named_and_those_that_inherit_it_are_not() -> None:
    found = suspects(chain((40, 40), (8, 8), (7, 35), (6, 12)), {"other": [error("b", 38, 39)]})
    assert list(found) == ["b"]
    assert "the same layer in other 39.0 dB" in found["b"]


def test_a_weak_suspicion_does_not_hide_a_broken_output_and_the_largest_error_is_named_first() -> None:
    assert list(suspects(chain((40, 40), (18, 18), (17, 35), (1, 8)))) == ["b"]
    assert list(suspects(chain((40, 40), (18, 18), (17, 35), (1, 1)))) == ["output", "b"]


def test_a_layer_is_held_against_the_others_of_its_network() -> None:
    assert list(suspects(chain((40, 40), (18, 18), (17, 35), (16, 34)))) == ["b"]
    assert suspects(chain((24, 24), (18, 18), (16, 25), (14, 26))) == {}


def test_an_error_that_no_later_layer_inherits_is_one_of_comparing() -> None:
    assert suspects(chain((40, 40), (-13, -13), (33, -10), (30, 35))) == {}
    # The layer behind reads what is not the same tensor, and would be the next to be suspected.
    assert suspects(chain((40, 40), (-13, -13), (-9, -9), (33, 35))) == {}


def test_a_branch_is_held_against_what_it_reads_where_no_layer_can_run_alone() -> None:
    def branches(sound: float) -> list[LayerError]:
        return [
            error("stem", 40),
            error("one", 14, reads=("stem",)),
            error("two", sound, reads=("stem",)),
            error("output", 13, reads=("one", "two")),
        ]

    assert list(suspects(branches(38))) == ["one"]
    # The larger error comes first.
    assert list(suspects(branches(12))) == ["two", "one"]
    assert list(suspects([error("a", 9), error("output", 8, reads=("a",))])) == ["a"]
    assert suspects([error("a", 16), error("output", 12, reads=("a",))]) == {}


def residual() -> keras.Model:
    """Depthwise convolutions, swish and a residual sum, with batch normalisation behind all convolutions."""
    given = keras.Input((8, 8, 1), name="image")
    x = layers.Conv2D(12, 3, padding="same", use_bias=False, name="stem")(given)
    x = layers.BatchNormalization(momentum=0.9, name="stem_bn")(x)
    x = layers.Activation("swish", name="stem_swish")(x)
    y = layers.DepthwiseConv2D(3, padding="same", use_bias=False, name="dw")(x)
    y = layers.BatchNormalization(momentum=0.9, name="dw_bn")(y)
    y = layers.Activation("swish", name="dw_swish")(y)
    y = layers.Conv2D(12, 1, use_bias=False, name="pw")(y)
    y = layers.BatchNormalization(momentum=0.9, name="pw_bn")(y)
    x = layers.Add(name="sum")([x, y])
    x = layers.GlobalAveragePooling2D(name="mean")(x)
    return keras.Model(given, layers.Dense(10, name="digits")(x))


def separable() -> keras.Model:
    """Batch normalisation behind activations and a separable convolution, which folding renames; a softmax."""
    given = keras.Input((8, 8, 1), name="image")
    x = layers.Conv2D(8, 3, padding="same", activation="relu", name="first")(given)
    x = layers.BatchNormalization(momentum=0.9, name="first_bn")(x)
    x = layers.SeparableConv2D(8, 3, padding="same", name="second")(x)
    x = layers.BatchNormalization(momentum=0.9, name="second_bn")(x)
    x = layers.ReLU(name="second_relu")(x)
    x = layers.Flatten(name="flat")(x)
    return keras.Model(given, layers.Dense(10, activation="softmax", name="digits")(x))


NETWORKS = {"residual": residual, "separable": separable}
DIGITS = (load_digits().images / 16).astype(np.float32)[..., None]
SHOWN = DIGITS[-64:]


@pytest.fixture(scope="module", params=NETWORKS)
@slow
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A trained network as its owner has it, what assessments make of that, and compressed versions of its owner's."""
    folder = tmp_path_factory.mktemp(request.param)
    keras.utils.set_random_seed(1)
    model = NETWORKS[request.param]()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=request.param == "residual")
    model.compile(keras.optimizers.Adam(0.01), loss)
    model.fit(DIGITS[:1500], load_digits().target[:1500], batch_size=64, epochs=6, verbose=0)
    model.save(folder / "model.keras")
    for kind in KINDS:
        (folder / f"{kind}.tflite").write_bytes(_compressed(model, kind))
    (folder / "original.onnx").write_bytes(to_onnx(model))
    Worker(folder).convert_keras(str(folder / "model.keras"))
    return {path.name: path for path in folder.iterdir()}


def _compressed(model: keras.Model, kind: str) -> bytes:
    """As its owner calls TensorFlow's own converter, on the network as it is."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if kind in ("int8", "per_tensor"):
        converter.representative_dataset = lambda: ([image[None]] for image in DIGITS[:100])
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter._experimental_disable_per_channel = kind == "per_tensor"
    content: bytes = converter.convert()
    return content


def test_no_layer_of_a_sound_network_is_suspected(files: Mapping[str, Path]) -> None:
    for kind in KINDS:
        found = layer_errors(files[AS_GIVEN], files[f"{kind}.tflite"], [SHOWN])
        assert suspects(found) == {}, kind
        assert len(found) >= 6
        assert all(one.added_sqnr_db is None or one.added_sqnr_db > 27 for one in found), kind
        assert found[-1].layer == "output"
        assert found[-1].sqnr_db is None or found[-1].sqnr_db > 20


@pytest.mark.parametrize("files", ["separable"], indirect=True)
def test_tensors_that_folding_renamed_raise_no_alarm(files: Mapping[str, Path]) -> None:
    twin = files["original.tflite"]
    found = layer_errors(twin, files["int8.tflite"], [SHOWN])
    # Tensors of one name are not the same: what a depthwise and what the whole separable convolution gives.
    assert min(one.sqnr_db for one in found if one.sqnr_db is not None) < 10
    assert suspects(found) == {}


def test_what_a_layer_adds_is_its_error_on_what_the_compressed_network_gives_it(files: Mapping[str, Path]) -> None:
    found = layer_errors(files[AS_GIVEN], files["int8.tflite"], [SHOWN])
    # A layer that reads the network's input alone inherits nothing.
    assert found[0].reads == ()
    assert found[0].added_sqnr_db == pytest.approx(found[0].sqnr_db)
    assert all(one.reads for one in found[1:])
    # With no error of the layer itself, the whole error is inherited.
    dynamic = {one.layer: one for one in layer_errors(files[AS_GIVEN], files["dynamic.tflite"], [SHOWN])}
    assert any(one.added_mse == 0 for one in dynamic.values())


@pytest.mark.parametrize("fault", ["x0.5", "x1.5", "x2", "shift", "channel"])
def test_the_layer_with_a_fault_is_named(fault: Fault, files: Mapping[str, Path], tmp_path: Path) -> None:
    faults = list(_with_fault(files["int8.tflite"], fault))
    assert len(faults) >= 3
    for name, content in faults:
        (tmp_path / "wrong.tflite").write_bytes(content)
        found = suspects(layer_errors(files[AS_GIVEN], tmp_path / "wrong.tflite", [SHOWN]))
        assert list(found) == [name], (fault, name)


def test_a_dropped_bias_is_told_where_it_costs_more_than_a_tenth(files: Mapping[str, Path], tmp_path: Path) -> None:
    sound = layer_errors(files[AS_GIVEN], files["int8.tflite"], [SHOWN])
    told = 0
    for name, content in _with_fault(files["int8.tflite"], "bias"):
        (tmp_path / "wrong.tflite").write_bytes(content)
        errors = layer_errors(files[AS_GIVEN], tmp_path / "wrong.tflite", [SHOWN])
        own = next(one.added_sqnr_db for one in errors if one.layer == name)
        assert own is not None
        assert set(suspects(errors)) <= {name}
        assert (suspects(errors) == {}) == (own > 20), (name, own)
        told += own < 20
    assert told
    assert len(sound) == len(errors)


def _with_fault(path: Path, fault: Fault) -> Iterator[tuple[str, bytes]]:
    """Name of each layer with weights -> the 8-bit network with a fault in that layer."""
    places = range(len(_weighted(_read(path))))
    for place in places:
        model = _read(path)
        tensors = model.subgraphs[0].tensors
        operator = _weighted(model)[place]
        weights, bias = (tensors[number] for number in operator.inputs[1:3])
        result = tensors[operator.outputs[0]]
        numbers = np.frombuffer(bytes(model.buffers[bias.buffer].data), np.int32).copy()
        kernel = np.frombuffer(bytes(model.buffers[weights.buffer].data), np.int8).reshape(weights.shape).copy()
        if fault in ("bias", "shift"):
            step = result.quantization.scale[0] / np.asarray(bias.quantization.scale)
            numbers = 0 * numbers if fault == "bias" else numbers + np.rint(SHIFT * step).astype(np.int32)
            model.buffers[bias.buffer].data = numbers.astype(np.int32).view(np.uint8)
        elif fault == "channel":
            # The last axis of depthwise kernels is their channel.
            channels = np.moveaxis(kernel, -1 if weights.shape[0] == 1 and kernel.ndim == 4 else 0, 0)
            # The one that says most.
            channels[np.abs(channels.astype(int)).reshape(len(channels), -1).sum(axis=1).argmax()] = 0
            model.buffers[weights.buffer].data = kernel.reshape(-1).view(np.uint8)
        else:
            for tensor in (weights, bias):
                grid = tensor.quantization
                grid.scale = np.asarray(grid.scale, np.float32) * np.float32(fault[1:])
        name = result.name.decode().split("/")
        layer = name[1].removesuffix("_1") if len(name) > 1 else "output"
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        # Logits are the output, also before a softmax.
        yield "output" if layer == "digits" else layer, bytes(builder.Output())


def _read(path: Path) -> schema.ModelT:
    return schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))


def _weighted(model: schema.ModelT) -> list[schema.OperatorT]:
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    return [one for one in model.subgraphs[0].operators if codes[one.opcodeIndex] in WEIGHTED]


@pytest.fixture(scope="module")
def onnx_files(files: Mapping[str, Path]) -> dict[str, Path]:
    """The network in .onnx as ONNX Runtime's own quantizer compresses it."""
    quantization = pytest.importorskip("onnxruntime.quantization")
    float32 = files["original.onnx"]

    class Images(quantization.CalibrationDataReader):  # type: ignore[name-defined]
        def __init__(self) -> None:
            self._images = iter(DIGITS[:100])

        def get_next(self) -> dict[str, np.ndarray] | None:
            image = next(self._images, None)
            return None if image is None else {"image": image[None]}

    found = {name: float32.with_name(f"{name}.onnx") for name in ("QDQ", "QOperator", "dynamic")}
    for name in ("QDQ", "QOperator"):
        kind = quantization.QuantFormat[name]
        quantization.quantize_static(float32, found[name], Images(), quant_format=kind, per_channel=name == "QDQ")
    quantization.quantize_dynamic(float32, found["dynamic"])
    return {"original": float32} | found


def test_layers_of_onnx_files_are_compared_however_they_were_quantized(onnx_files: Mapping[str, Path]) -> None:
    for kind in ("QDQ", "QOperator", "dynamic"):
        found = layer_errors(onnx_files["original"], onnx_files[kind], [SHOWN])
        assert suspects(found) == {}, kind
        assert len(found) >= 6
        assert found[-1].layer == "output"
        assert all(one.sqnr_db is None or one.sqnr_db > 18 for one in found), kind
        assert {one.type for one in found} == ({"float32"} if kind == "dynamic" else {"int8"})
    assert layer_errors(onnx_files["original"], onnx_files["original"], [SHOWN])[0].mse == 0


@pytest.mark.parametrize("kind", ["QDQ", "QOperator"])
def test_the_layer_of_an_onnx_file_with_a_wrong_scale_is_named(
    kind: str, onnx_files: Mapping[str, Path], tmp_path: Path
) -> None:
    onnx = pytest.importorskip("onnx")
    sound = onnx.load(onnx_files[kind])
    stored: dict[str, Any] = {one.name: one for one in sound.graph.initializer}
    scales = [name for name in stored if name.endswith("ReadVariableOp:0_scale") and "Cast" in name]
    scales += [name for name in stored if name.endswith("_scale") and "convolution" in name and "quant" not in name]
    healthy = layer_errors(onnx_files["original"], onnx_files[kind], [SHOWN])
    chosen = [name for name in scales if name.removesuffix("_scale") + "_quantized" in stored]
    assert chosen
    for name in chosen:
        wrong = onnx.ModelProto()
        wrong.CopyFrom(sound)
        [scale] = [one for one in wrong.graph.initializer if one.name == name]
        scale.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(scale) * np.float32(1.5), name))
        onnx.save(wrong, tmp_path / "wrong.onnx")
        errors = layer_errors(onnx_files["original"], tmp_path / "wrong.onnx", [SHOWN])
        # The first one whose own error has become another.
        first = next(
            after.layer
            for before, after in zip(healthy, errors, strict=True)
            if (after.sqnr_db or 99) < (before.sqnr_db or 99) - 1
        )
        assert list(suspects(errors)) == [first], name


def test_layers_of_two_kinds_of_files_are_not_matched(files: Mapping[str, Path]) -> None:
    assert layer_errors(files["original.onnx"], files["int8.tflite"], [SHOWN]) == []


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's original as float32 .tflite; nothing in it is folded, so that it is the network as given too."""
    folder = tmp_path_factory.mktemp("original")
    with ForeignFiles() as reader:
        found = original(paths().original, folder, reader).path
    assert [path.name for path in folder.iterdir()] == [found.name]
    return found


@pytest.mark.parametrize("fault", ["x0.5", "x1.25", "x2"])
def test_wrong_scales_in_the_example_are_told(fault: Any, example: Path, tmp_path: Path) -> None:
    x = read_arrays(paths().inputs)["inputs"][:32]
    for sound in (paths().int8, paths().dynamic):
        assert suspects(layer_errors(example, sound, [x])) == {}
    for name, content in _with_fault(paths().int8, fault):
        (tmp_path / "wrong.tflite").write_bytes(content)
        assert list(suspects(layer_errors(example, tmp_path / "wrong.tflite", [x]))) == [name]


def test_equal_layers_are_not_suspected() -> None:
    assert suspects([replace(one, sqnr_db=None, added_sqnr_db=None) for one in chain((9, 9), (9, 9))]) == {}
