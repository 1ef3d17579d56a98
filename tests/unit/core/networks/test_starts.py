"""Foreign networks in .tflite and .onnx files: their layout comes from their graph, their outputs become logits."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.networks import chain

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.onnx_graph import check_graph
from quantrift.core.networks.graphs.choices import LAYOUT, with_note
from quantrift.core.networks.graphs.signature import two_classes
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx
from quantrift.core.networks.tflite_files import to_tflite

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
node = onnx.helper.make_node
FLOAT, UINT8 = onnx.TensorProto.FLOAT, onnx.TensorProto.UINT8
RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(4, 3, 3, 3)).astype(np.float32)
CONSTANTS = {
    "w": WEIGHTS,
    "w1": WEIGHTS[:, :, 0],
    "w_depthwise": WEIGHTS[:3, :1],
    "one": np.ones(3, np.float32),
    "scale": np.array(1 / 255, np.float32),
    "fine": np.array(1 / 64, np.float32),
    "zero": np.array(0, np.uint8),
    "middle": np.array(128, np.uint8),
    "mean": np.array([0.4, 0.5, 0.6], np.float32).reshape(1, 3, 1, 1),
    "std": np.array([0.2, 0.25, 0.3], np.float32).reshape(1, 3, 1, 1),
    "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64),
    "axes": np.array([2, 3], np.int64),
    "first": np.array([1], np.int64),
    "flat": RNG.normal(size=(90, 4)).astype(np.float32),
}
MEAN = [node("GlobalAveragePool", ["features"], ["mean_of"]), node("Flatten", ["mean_of"], ["y"])]
CONV = [node("Conv", ["seen", "w"], ["features"]), *MEAN]


@pytest.fixture(autouse=True)
def seeded() -> None:
    """A layer draws its seed when it is made, before ``chain`` sets one: without this, two chains may differ."""
    keras.utils.set_random_seed(0)


def written(
    path: Path,
    nodes: Sequence[Any],
    shape: Sequence[int | str] = ("n", 3, 6, 5),
    given: int = FLOAT,
    result: int = FLOAT,
    outputs: int = 4,
) -> Path:
    """An .onnx file from ``x`` to ``y``."""
    graph = onnx.helper.make_graph(
        list(nodes),
        "network",
        [onnx.helper.make_tensor_value_info("x", given, shape)],
        [onnx.helper.make_tensor_value_info("y", result, [shape[0], outputs])],
        [onnx.numpy_helper.from_array(value, name) for name, value in CONSTANTS.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def plain(path: Path, x: np.ndarray) -> np.ndarray:
    """What ONNX Runtime itself gives."""
    found: np.ndarray = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})[0]
    return found


FRONTS = {
    "convolution": [node("Conv", ["x", "w"], ["features"]), *MEAN],
    "depthwise convolution and swish": [
        node("Conv", ["x", "w_depthwise"], ["some"], group=3, pads=[1, 1, 1, 1]),
        node("Sigmoid", ["some"], ["gate"]),
        node("Mul", ["some", "gate"], ["seen"]),
        *CONV,
    ],
    "batch normalisation": [
        node("BatchNormalization", ["x", "one", "one", "one", "one"], ["normal"]),
        node("Flatten", ["normal"], ["row"]),
        node("MatMul", ["row", "flat"], ["y"]),
    ],
    "pooling": [node("MaxPool", ["x"], ["seen"], kernel_shape=[2, 2]), *CONV],
    "mean over space": [node("ReduceMean", ["x", "axes"], ["y"], keepdims=0)],
    "standardised, padded, of quantized values": [
        node("QuantizeLinear", ["x", "scale", "zero"], ["integers"]),
        node("DequantizeLinear", ["integers", "scale", "zero"], ["values"]),
        node("Sub", ["values", "mean"], ["centred"]),
        node("Div", ["centred", "std"], ["normal"]),
        node("Pad", ["normal", "pads"], ["seen"]),
        *CONV,
    ],
}


@pytest.mark.parametrize("rows", ["n", 1, 4], ids=["any batch", "batches of 1", "batches of 4"])
@pytest.mark.parametrize("front", FRONTS)
def test_an_onnx_graph_tells_that_channels_come_first_whatever_the_sizes(
    front: str, rows: int | str, tmp_path: Path
) -> None:
    path = written(tmp_path / "n.onnx", FRONTS[front], (rows, 3, 6, 5), outputs=3 if "mean over" in front else 4)
    network = load_runtime("onnxruntime", path)
    assert network.input_shape == (6, 5, 3)
    x = RNG.random((4, 6, 5, 3)).astype(np.float32)
    first = np.ascontiguousarray(np.moveaxis(x, 3, 1))
    one_by_one = [plain(path, row[None]) for row in first] if rows == 1 else [plain(path, first)]
    np.testing.assert_allclose(network(x), np.concatenate(one_by_one), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("sides", [(8, 8, 3), (3, 8, 3), (3, 3, 3), (4, 7, 3)])
def test_a_transpose_in_front_of_a_convolution_tells_that_channels_come_last(
    sides: tuple[int, int, int], tmp_path: Path
) -> None:
    nodes = [node("Transpose", ["x"], ["seen"], perm=[0, 3, 1, 2]), *CONV]
    path = written(tmp_path / "n.onnx", nodes, ("n", *sides))
    network = load_runtime("onnxruntime", path)
    assert network.input_shape == sides
    x = RNG.random((4, *sides)).astype(np.float32)
    np.testing.assert_allclose(network(x), plain(path, x), rtol=1e-5, atol=1e-6)


def test_two_transposes_are_composed(tmp_path: Path) -> None:
    nodes = [
        node("Transpose", ["x"], ["last"], perm=[0, 2, 3, 1]),
        node("Identity", ["last"], ["same"]),
        node("Transpose", ["same"], ["seen"], perm=[0, 3, 1, 2]),
        *CONV,
    ]
    assert load_runtime("onnxruntime", written(tmp_path / "n.onnx", nodes)).input_shape == (6, 5, 3)


def test_channels_between_rows_and_columns_are_neither_first_nor_last(tmp_path: Path) -> None:
    nodes = [node("Transpose", ["x"], ["seen"], perm=[0, 2, 1, 3]), *CONV]
    assert not ONNXRuntime(written(tmp_path / "n.onnx", nodes, ("n", 6, 3, 5))).signature.decided


@pytest.mark.parametrize(
    ("perm", "channels"), [([0, 1, 2, 3], None), ([0, 2, 3, 1], 1), ([0, 3, 1, 2], 3), ([0, 2, 1, 3], None)]
)
def test_bands_of_a_cube_are_known_where_it_was_turned(perm: list[int], channels: int | None, tmp_path: Path) -> None:
    nodes = [
        node("Transpose", ["x"], ["turned"], perm=perm),
        node("Unsqueeze", ["turned", "first"], ["cube"]),
        node("Conv", ["cube", "w"], ["y"]),
    ]
    assert check_graph(written(tmp_path / "n.onnx", nodes)).start("x").channels == channels


def test_3d_convolutions_of_tensorflow_take_bands_last(tmp_path: Path) -> None:
    parts = layers.Reshape((9, 9, 8, 1)), layers.Conv3D(2, 3), layers.Flatten(), layers.Dense(4)
    network = loaded(saved(tmp_path, chain((9, 9, 8), *parts), ".tflite"))
    assert (network.input_shape, network.signature.start.channels) == ((9, 9, 8), 3)


def ends(activation: str | None = None, outputs: int = 4) -> list[layers.Layer]:
    return [layers.GlobalAveragePooling2D(), layers.Dense(outputs, activation, kernel_initializer="random_normal")]


def saved(folder: Path, model: keras.Model, suffix: str) -> Path:
    path = folder / f"network{suffix}"
    path.write_bytes(to_tflite(model) if suffix == ".tflite" else to_onnx(model))
    return path


def loaded(path: Path) -> Any:
    return load_runtime("litert" if path.suffix == ".tflite" else "onnxruntime", path)


BOTH = pytest.mark.parametrize("suffix", [".tflite", ".onnx"])


@BOTH
def test_a_network_of_keras_says_the_same_in_every_form(suffix: str, tmp_path: Path) -> None:
    parts = layers.DepthwiseConv2D(3, padding="same", activation="swish"), layers.Conv2D(4, 3, dilation_rate=2)
    model = chain((9, 7, 3), *parts, *ends())
    network = loaded(saved(tmp_path, model, suffix))
    x = RNG.random((5, 9, 7, 3)).astype(np.float32)
    assert (network.input_shape, network.signature.start.channels) == ((9, 7, 3), 3)
    np.testing.assert_allclose(network(x), model(x), rtol=1e-4, atol=1e-5)


@BOTH
def test_a_network_that_begins_with_a_transpose_takes_channels_first(suffix: str, tmp_path: Path) -> None:
    model = chain((3, 6, 5), layers.Permute((2, 3, 1)), layers.Conv2D(4, 3), *ends())
    network = loaded(saved(tmp_path, model, suffix))
    x = RNG.random((5, 6, 5, 3)).astype(np.float32)
    assert network.input_shape == (6, 5, 3)
    np.testing.assert_allclose(network(x), model(np.moveaxis(x, 3, 1)), rtol=1e-4, atol=1e-5)


@BOTH
def test_nothing_but_matrices_leaves_the_layout_open_until_it_is_written_into_the_file(
    suffix: str, tmp_path: Path
) -> None:
    model = chain((3, 6, 5), layers.Flatten(), layers.Dense(4))
    path = saved(tmp_path, model, suffix)
    assert not loaded(path).signature.decided
    content = path.read_bytes()
    path.write_bytes(with_note(content, suffix, LAYOUT, "channels_first"))
    network = loaded(path)
    assert network.signature.decided
    x = RNG.random((5, 6, 5, 3)).astype(np.float32)
    np.testing.assert_allclose(network(x), model(np.moveaxis(x, 3, 1)), rtol=1e-4, atol=1e-5)
    path.write_bytes(with_note(content, suffix, LAYOUT, "channels_last"))
    assert loaded(path).input_shape == (3, 6, 5)


@BOTH
@pytest.mark.parametrize("shape", [(6, 5, 1), (1, 6, 5), (6, 5)])
def test_one_channel_leaves_nothing_open(shape: tuple[int, ...], suffix: str, tmp_path: Path) -> None:
    model = chain(shape, layers.Flatten(), layers.Dense(4))
    network = loaded(saved(tmp_path, model, suffix))
    x = RNG.random((5, 6, 5, 1)).astype(np.float32)
    assert (network.input_shape, network.signature.decided) == ((6, 5, 1), True)
    np.testing.assert_allclose(network(x), model(x.reshape(5, *shape)), rtol=1e-4, atol=1e-5)


@BOTH
@pytest.mark.parametrize("activation", ["softmax", "log_softmax"])
def test_softmax_and_log_softmax_become_logits_up_to_a_constant(activation: str, suffix: str, tmp_path: Path) -> None:
    x = RNG.random((5, 6, 5, 3)).astype(np.float32)
    network = loaded(saved(tmp_path, chain((6, 5, 3), layers.Conv2D(4, 3), *ends(activation)), suffix))
    logits = np.asarray(chain((6, 5, 3), layers.Conv2D(4, 3), *ends())(x))
    found = network(x)
    np.testing.assert_allclose(
        found - found.max(axis=1, keepdims=True), logits - logits.max(axis=1, keepdims=True), atol=1e-4
    )
    assert network.signature.probabilities == (activation == "softmax")


@BOTH
@pytest.mark.parametrize("activation", ["sigmoid", None])
def test_the_sign_of_a_single_logit_tells_two_classes(activation: str | None, suffix: str, tmp_path: Path) -> None:
    x = (RNG.random((50, 6, 5, 3)) - 0.5).astype(np.float32)
    network = loaded(saved(tmp_path, chain((6, 5, 3), layers.Conv2D(4, 3), *ends(activation, 1)), suffix))
    logit = np.asarray(chain((6, 5, 3), layers.Conv2D(4, 3), *ends(None, 1))(x))[:, 0]
    assert network.classes == 2
    found = network(x)
    assert (found.shape, found.dtype) == ((50, 2), np.float32)
    np.testing.assert_array_equal(found[:, 0], 0)
    np.testing.assert_allclose(found[:, 1], logit, rtol=1e-3, atol=1e-5)
    assert 0 < (found.argmax(axis=1) == 1).sum() < 50
    np.testing.assert_array_equal(found.argmax(axis=1), logit > 0)


def test_a_sigmoid_is_undone_without_a_tie_that_was_none() -> None:
    half = np.float32(0.5)
    p = np.array(
        [[np.nextafter(half, np.float32(0))], [half], [np.nextafter(half, np.float32(1))], [0], [1]], np.float32
    )
    logits = two_classes(p, sigmoid=True)
    assert logits.argmax(axis=1).tolist() == [0, 0, 1, 0, 1]
    assert np.isfinite(logits).all()
    assert logits[3, 1] == -logits[4, 1]


@pytest.mark.parametrize("result", [FLOAT, UINT8], ids=["float", "uint8"])
def test_integers_at_the_border_of_an_onnx_file_stand_for_what_it_says(result: int, tmp_path: Path) -> None:
    nodes = [node("DequantizeLinear", ["x", "scale", "zero"], ["seen"]), *CONV[:-1]]
    if result == UINT8:
        nodes += [node("Flatten", ["mean_of"], ["out"]), node("QuantizeLinear", ["out", "fine", "middle"], ["y"])]
    else:
        nodes += CONV[-1:]
    path = written(tmp_path / "n.onnx", nodes, given=UINT8, result=result)
    pixels = RNG.integers(0, 256, (5, 6, 5, 3)).astype(np.uint8)
    raw = plain(path, np.ascontiguousarray(np.moveaxis(pixels, 3, 1)))
    expected = (raw.astype(np.float32) - 128) / 64 if result == UINT8 else raw
    network = ONNXRuntime(path)
    assert network.input_shape == (6, 5, 3)
    np.testing.assert_allclose(network(pixels / np.float32(255)), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "nodes", "shape"),
    [
        ("signal", [node("Conv", ["x", "w1"], ["y"])], ("n", 3, 20)),
        (
            "tokens",
            [node("Cast", ["x"], ["whole"], to=onnx.TensorProto.INT64), node("Gather", ["flat", "whole"], ["y"])],
            ("n", 20, 5),
        ),
        ("sequence", [node("LSTM", ["x", "w1", "w1"], ["y"], hidden_size=4)], ("n", 20, 3)),
    ],
)
def test_what_is_no_image_is_known_by_the_operation_that_takes_it(
    kind: str, nodes: list[Any], shape: tuple[int | str, ...], tmp_path: Path
) -> None:
    assert check_graph(written(tmp_path / "n.onnx", nodes, shape)).start("x").kind == kind


@BOTH
def test_a_convolution_along_one_axis_is_one_of_a_signal(suffix: str, tmp_path: Path) -> None:
    for channels in (1, 3):
        model = chain((20, channels), layers.Conv1D(4, 3), layers.GlobalAveragePooling1D(), layers.Dense(4))
        assert loaded(saved(tmp_path, model, suffix)).signature.start.kind == "signal"


def test_token_numbers_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "n.onnx", [node("Gather", ["flat", "x"], ["y"])], ("n", 20), onnx.TensorProto.INT64)
    with pytest.raises(QuantriftError, match="takes int64, as sequences of tokens are"):
        load_runtime("onnxruntime", path)
