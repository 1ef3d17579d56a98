"""The audit finds planted faults in files of both formats without running them, and nothing in good files."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np
import onnx
import pytest
from ai_edge_litert import schema_py_generated as schema
from keras import layers
from onnx import helper, numpy_helper
from onnxruntime import quantization
from tests.factories.digit_networks import Reader, network
from tests.factories.networks import chain
from tests.factories.places import PACKAGE
from tests.factories.quantized_files import blobs, classifier, made

from quantrift.cli.main import main
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.audits.examined import examined
from quantrift.core.networks.audits.file_findings import RULES
from quantrift.study.board.public_quantizers import onnx_dynamic
from quantrift.study.league.planted.conversion import dynamic, float16, int8
from quantrift.study.league.planted.stored_weights import EditedTFLite
from quantrift.study.league.planted.stored_weights_onnx import EditedONNX

Weights = Mapping[str, np.ndarray]


def weights() -> dict[str, np.ndarray]:
    """Two branches that are joined, a depthwise convolution and a dense layer."""
    rng = np.random.default_rng(3)
    shapes = {"w_left": (4, 1, 3, 3), "w_right": (4, 1, 3, 3), "w_deep": (8, 1, 3, 3), "w_dense": (8, 5)}
    drawn = {name: rng.normal(0, 0.4, shape) for name, shape in shapes.items()}
    return {
        **drawn,
        "b_left": rng.normal(0, 0.1, 4),
        "b_right": rng.normal(0, 0.1, 4),
        "b_dense": rng.normal(0, 0.1, 5),
    }


def branches(given: Weights, *behind_left: Any, left: str = "left") -> onnx.ModelProto:
    """The network; ``behind_left`` are nodes from ``left`` to the tensor that is joined in its place."""
    nodes = [
        helper.make_node("Conv", ["x", "w_left", "b_left"], ["left"], "left"),
        helper.make_node("Conv", ["x", "w_right", "b_right"], ["right"], "right"),
        *behind_left,
        helper.make_node("Concat", [left, "right"], ["joined"], "join", axis=1),
        helper.make_node("Conv", ["joined", "w_deep"], ["deep"], "deep", group=8),
        helper.make_node("Relu", ["deep"], ["relu"], "relu"),
        helper.make_node("GlobalAveragePool", ["relu"], ["pool"], "pool"),
        helper.make_node("Flatten", ["pool"], ["flat"], "flat"),
        helper.make_node("Gemm", ["flat", "w_dense", "b_dense"], ["y"], "dense"),
    ]
    return network(nodes, dict(given), 5)


def quantized(folder: Path, model: onnx.ModelProto, **settings: Any) -> onnx.ModelProto:
    """In 8 bits, by the library."""
    onnx.save(model, folder / "float.onnx")
    x = np.random.default_rng(0).random((50, 1, 8, 8), np.float32)
    quantization.quantize_static(
        folder / "float.onnx", folder / "int8.onnx", Reader(x), **{"per_channel": True, **settings}
    )
    return onnx.load(folder / "int8.onnx")


def put(model: onnx.ModelProto, name: str, change: Callable[[np.ndarray], np.ndarray]) -> onnx.ModelProto:
    """Change a stored tensor."""
    [held] = [one for one in model.graph.initializer if one.name == name]
    held.CopyFrom(numpy_helper.from_array(change(numpy_helper.to_array(held)), name))
    return model


def as_float16(model: onnx.ModelProto) -> onnx.ModelProto:
    """Stored in float16; nothing is run, so that casts are not needed."""
    with np.errstate(over="ignore"):
        for held in [*model.graph.initializer]:
            put(model, held.name, lambda values: values.astype(np.float16))
    return model


def left_in_float(folder: Path) -> onnx.ModelProto:
    return quantized(folder, branches(weights()), nodes_to_exclude=["deep"])


def quiet_branch(folder: Path) -> onnx.ModelProto:
    changed = weights() | {name: weights()[name] / 500 for name in ("w_left", "b_left")}
    return quantized(folder, branches(changed))


def shares_beside_values(folder: Path) -> onnx.ModelProto:
    """A branch of shares, 0 to 1, beside one of hundreds, and one grid already where the shares are computed."""
    changed = weights() | {"w_right": weights()["w_right"] * 300}
    model = quantized(folder, branches(changed, helper.make_node("Sigmoid", ["left"], ["share"], "s"), left="share"))
    [of_share] = [node for node in model.graph.node if node.input[0] == "share"]
    [of_joined] = [node for node in model.graph.node if node.input[0] == "joined"]
    for node in model.graph.node:
        if node.input[0] in (of_share.input[0], of_share.output[0]):
            node.input[1:] = of_joined.input[1:]
    return model


def one_scale(folder: Path) -> onnx.ModelProto:
    loud = weights()["w_deep"] * np.array([1, 90, 1, 1, 1, 1, 1, 1]).reshape(-1, 1, 1, 1)
    return quantized(folder, branches(weights() | {"w_deep": loud}), per_channel=False)


def unfolded(folder: Path) -> onnx.ModelProto:
    rng = np.random.default_rng(4)
    norm = {name: rng.uniform(0.5, 1.5, 4) for name in ("gamma", "beta", "mean", "variance")}
    node = helper.make_node("BatchNormalization", ["left", *norm], ["norm"], "norm")
    return quantized(folder, branches(weights() | norm, node, left="norm"))


def not_a_number(folder: Path) -> onnx.ModelProto:
    return branches(weights() | {"w_dense": np.where(weights()["w_dense"] > 0.5, np.nan, 0.1)})


def too_large(folder: Path) -> onnx.ModelProto:
    return branches(weights() | {"w_dense": weights()["w_dense"] * 1e6})


def infinite_in_float16(folder: Path) -> onnx.ModelProto:
    return as_float16(branches(weights() | {"w_dense": weights()["w_dense"] * 1e6}))


def tiny_in_float16(folder: Path) -> onnx.ModelProto:
    return as_float16(branches(weights() | {"w_dense": weights()["w_dense"] * 1e-6}))


def scale_of_0(folder: Path) -> onnx.ModelProto:
    return put(quantized(folder, branches(weights())), "pool_scale", np.zeros_like)


def large_scale(folder: Path) -> onnx.ModelProto:
    return put(quantized(folder, branches(weights())), "relu_scale", lambda scale: np.float32(1000) * scale)


def large_scale_of_integers(folder: Path) -> onnx.ModelProto:
    made = quantized(folder, branches(weights()), quant_format=quantization.QuantFormat.QOperator)
    return put(made, "y_scale", lambda scale: np.float32(1000) * scale)


def scale_of_bias(folder: Path) -> onnx.ModelProto:
    return put(quantized(folder, branches(weights())), "b_dense_quantized_scale", lambda scale: np.float32(1.5) * scale)


def other_zero_point(folder: Path) -> onnx.ModelProto:
    file = EditedONNX(quantized(folder, branches(weights())).SerializeToString())
    file.shift_zero_point(3, 3)
    return onnx.load_from_string(file.content())


PLANTED: Mapping[str, tuple[Callable[[Path], onnx.ModelProto], str, str]] = {
    "an operation in float": (left_in_float, "float-operation", "deep"),
    "a quiet branch": (quiet_branch, "shared-scale", "joined"),
    "shares beside values": (shares_beside_values, "shared-scale", "joined"),
    "one scale of depthwise weights": (one_scale, "coarse-weights", "w_deep_quantized"),
    "batch normalisation": (unfolded, "batch-normalisation", "norm"),
    "NaN": (not_a_number, "not-finite", "w_dense"),
    "beyond float16": (too_large, "float16-range", "w_dense"),
    "infinite in float16": (infinite_in_float16, "not-finite", "w_dense"),
    "lost in float16": (tiny_in_float16, "float16-range", "w_dense"),
    "a scale of 0": (scale_of_0, "scale", "pool"),
    "a scale too large": (large_scale, "coarse-result", "relu"),
    "a scale of integers too large": (large_scale_of_integers, "coarse-result", "y_quantized"),
    "the scale of a bias": (scale_of_bias, "bias-scale", "b_dense_quantized"),
    "two zero points": (other_zero_point, "two-grids", "flat"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_fault_planted_into_an_onnx_file_is_found_at_its_place(fault: str, tmp_path: Path) -> None:
    plant, rule, layer = PLANTED[fault]
    onnx.save(plant(tmp_path), tmp_path / "planted.onnx")
    _, found = examined(tmp_path / "planted.onnx")
    assert (rule, layer) in {(one.rule, one.layer) for one in found}
    assert all("; " in one.text and one.text.isprintable() for one in found)


@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize("form", ["QDQ", "QOperator"])
def test_good_onnx_files_have_no_findings(form: str, per_channel: bool, tmp_path: Path) -> None:
    made = quantized(
        tmp_path, branches(weights()), per_channel=per_channel, quant_format=quantization.QuantFormat[form]
    )
    onnx.save(made, tmp_path / "good.onnx")
    report, found = examined(tmp_path / "good.onnx")
    assert found == []
    assert report["int8_mac_share"] == 1
    # 6 x 6 places of both branches, 4 x 4 of the depthwise convolution.
    assert report["macs"] == 2 * 36 * 4 * 9 + 16 * 8 * 9 + 8 * 5
    assert examined(tmp_path / "float.onnx") == (examined(tmp_path / "float.onnx")[0], [])
    assert examined(tmp_path / "float.onnx")[0]["macs"] == report["macs"]


def test_weights_rounded_in_the_file_count_as_what_they_become(tmp_path: Path) -> None:
    """As exporters write networks trained for 8 bits: the weights in float, and their rounding behind them."""
    loud = np.where(np.arange(4).reshape(-1, 1, 1, 1) == 2, 80.0, 1.0) * weights()["w_left"]
    scale = np.float32(np.abs(loud).max() / 127)
    grid = {"scale": scale, "zero": np.int8(0)}
    model = branches(weights())
    model.graph.initializer.extend(numpy_helper.from_array(np.array(one), name) for name, one in grid.items())
    put(model, "w_left", lambda _: loud.astype(np.float32))
    rounding = [
        helper.make_node("QuantizeLinear", ["w_left", *grid], ["q"]),
        helper.make_node("DequantizeLinear", ["q", *grid], ["w"]),
    ]
    for place, node in enumerate(rounding):
        model.graph.node.insert(place, node)
    model.graph.node[2].input[1] = "w"
    onnx.save(model, tmp_path / "trained.onnx")
    report, found = examined(tmp_path / "trained.onnx")
    assert [(one.rule, one.layer) for one in found] == [("coarse-weights", "w_left")]
    assert report["ops"][0]["weights"] == "INT8"


def test_a_mask_of_infinities_is_no_fault(tmp_path: Path) -> None:
    mask = np.where(np.tri(5), 0, -np.inf)
    model = branches(weights() | {"mask": mask})
    onnx.save(model, tmp_path / "masked.onnx")
    assert examined(tmp_path / "masked.onnx")[1] == []


def test_sides_that_are_open_count_once(tmp_path: Path) -> None:
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"])]
    model = network(nodes, {"w": np.ones((5, 1, 8, 8))}, 5)
    for side in model.graph.input[0].type.tensor_type.shape.dim[2:]:
        side.Clear()
        side.dim_param = "open"
    model.graph.output[0].type.tensor_type.ClearField("shape")
    onnx.save(model, tmp_path / "open.onnx")
    assert examined(tmp_path / "open.onnx")[0]["macs"] == 5 * 64


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """Files of one network by how they were made."""
    both = made(classifier())
    model = classifier()
    return {
        "float.tflite": both[".tflite"].original,
        "int8.tflite": both[".tflite"].int8,
        "tensor.tflite": int8(model, blobs(), per_channel=False),
        "border.tflite": int8(model, blobs(), border="int8"),
        "dynamic.tflite": dynamic(model),
        "float16.tflite": float16(model),
        "float.onnx": both[".onnx"].original,
        "int8.onnx": both[".onnx"].int8,
        "dynamic.onnx": onnx_dynamic(both[".onnx"].original),
    }


def test_both_formats_of_a_network_have_its_multiplications_and_no_findings(
    files: Mapping[str, bytes], tmp_path: Path
) -> None:
    shares = {}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        report, found = examined(tmp_path / name)
        assert (name, found, report["macs"]) == (name, [], 25 * 6 * 9 + 9 * 8 * 6 * 9 + 8 * 4)
        shares[name] = report["int8_mac_share"]
    assert {name for name, share in shares.items() if share == 1} == {
        *("int8.tflite", "tensor.tflite", "border.tflite", "int8.onnx", "dynamic.onnx")
    }


def scales_of(tensor: Any, factor: float) -> None:
    tensor.quantization.scale = np.asarray(tensor.quantization.scale, np.float32) * np.float32(factor)


def one_large_channel(file: EditedTFLite) -> None:
    weights, _ = file.layers[1]
    numbers = file.get(weights)
    numbers[1:] = np.clip(numbers[1:], -3, 3)
    file.put(weights, numbers)


def result_of(file: EditedTFLite) -> Any:
    """The tensor that the second convolution gives."""
    graph = file.model.subgraphs[0]
    [step] = [
        one for one in graph.operators if len(one.inputs) > 1 and graph.tensors[one.inputs[1]] is file.layers[1][0]
    ]
    return graph.tensors[step.outputs[0]]


PLANTED_TFLITE: Mapping[str, tuple[str, Callable[[EditedTFLite], None], str]] = {
    "one scale for channels": ("tensor.tflite", one_large_channel, "coarse-weights"),
    "the scale of a bias": ("int8.tflite", lambda file: scales_of(file.layers[1][1], 2), "bias-scale"),
    "a scale of 0": ("int8.tflite", lambda file: scales_of(result_of(file), 0), "scale"),
    "a scale too large": ("int8.tflite", lambda file: scales_of(result_of(file), 2000), "coarse-result"),
    "NaN": (
        "float.tflite",
        lambda file: file.put(file.layers[1][0], np.nan * file.get(file.layers[1][0])),
        "not-finite",
    ),
    "beyond float16": (
        "float.tflite",
        lambda file: file.put(file.layers[1][0], 1e6 * file.get(file.layers[1][0])),
        "float16-range",
    ),
}


@pytest.mark.parametrize("fault", PLANTED_TFLITE)
def test_a_fault_planted_into_a_tflite_file_is_found(fault: str, files: Mapping[str, bytes], tmp_path: Path) -> None:
    name, plant, rule = PLANTED_TFLITE[fault]
    file = EditedTFLite(files[name])
    plant(file)
    (tmp_path / name).write_bytes(file.content())
    assert rule in {one.rule for one in examined(tmp_path / name)[1]}


def joined(factor: float) -> bytes:
    """Two branches in 8 bits, one with weights that are ``factor`` times as large."""
    image = keras.Input((12, 12, 1))
    sides = [layers.Conv2D(4, 3, name=name)(image) for name in ("left", "right")]
    x = layers.GlobalAveragePooling2D()(layers.Concatenate()(sides))
    model = keras.Model(image, layers.Dense(4)(x))
    model.get_layer("right").set_weights([one * factor for one in model.get_layer("right").get_weights()])
    return int8(model, blobs())


@pytest.mark.parametrize(("factor", "rules"), [(1, set()), (1000, {"shared-scale"})])
def test_branches_of_a_tflite_file_that_share_a_scale(factor: float, rules: set[str], tmp_path: Path) -> None:
    (tmp_path / "joined.tflite").write_bytes(joined(factor))
    assert {one.rule for one in examined(tmp_path / "joined.tflite")[1]} == rules


@pytest.mark.parametrize(("activation", "rules"), [(None, {"batch-normalisation"}), ("relu", set())])
def test_a_product_and_a_sum_behind_a_convolution_of_a_tflite_file(
    activation: str | None, rules: set[str], tmp_path: Path
) -> None:
    step = layers.Rescaling([2.0, 3.0, 4.0], [0.1, 0.2, 0.3])
    model = chain((6, 6, 3), step, layers.Conv2D(3, 1, activation=activation), layers.Flatten(), layers.Dense(2))
    file = EditedTFLite(int8(model, np.random.default_rng(0).random((20, 6, 6, 3), np.float32)))
    graph = file.model.subgraphs[0]
    names = vars(schema.BuiltinOperator)
    codes = [file.model.operatorCodes[one.opcodeIndex].builtinCode for one in graph.operators]
    product, total, conv = (graph.operators[codes.index(names[name])] for name in ("MUL", "ADD", "CONV_2D"))
    readers = [one for one in graph.operators if conv.outputs[0] in [*one.inputs]]
    # What stood before the convolution stands behind it: nothing is run, and all have three channels.
    conv.inputs, product.inputs = (
        [first, *one.inputs[1:]] for first, one in ((product.inputs[0], conv), (conv.outputs[0], product))
    )
    for reader in readers:
        reader.inputs = [*total.outputs, *reader.inputs[1:]]
    (tmp_path / "unfolded.tflite").write_bytes(file.content())
    # The convolution now reads another scale than its bias was made for.
    assert {one.rule for one in examined(tmp_path / "unfolded.tflite")[1]} == rules | {"bias-scale"}


def test_damaged_onnx_files_are_refused_in_one_line(files: Mapping[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "damaged.onnx"
    whole = files["int8.onnx"]
    rng = np.random.default_rng(5)
    for _ in range(60):
        content = bytearray(whole[: rng.integers(10, len(whole) + 1)])
        for place in rng.integers(0, len(content), 8):
            content[place] = rng.integers(0, 256)
        path.write_bytes(bytes(content))
        refusal = "; "
        try:
            examined(path)
        except QuantriftError as error:
            refusal = str(error)
        assert len(refusal.splitlines()) == 1
        assert "; " in refusal


def test_every_rule_is_planted() -> None:
    assert {rule for _, rule, _ in PLANTED.values()} == RULES.keys()


def test_the_bundled_networks_have_no_findings() -> None:
    found = [*(PACKAGE / "judge" / "intake" / "pair").glob("*.tflite")]
    assert len(found) == 2
    assert [(file.name, one) for file in found for one in examined(file)[1]] == []


def test_a_normalisation_of_integers_is_found(tmp_path: Path) -> None:
    constants = {"factor": np.array([2.0, 3, 4, 5]).reshape(4, 1, 1), "offset": np.arange(1.0, 5).reshape(4, 1, 1)}
    steps = [
        helper.make_node("Mul", ["left", "factor"], ["product"], "product"),
        helper.make_node("Add", ["product", "offset"], ["total"], "total"),
    ]
    for form in quantization.QuantFormat:
        made = quantized(tmp_path, branches(weights() | constants, *steps, left="total"), quant_format=form)
        onnx.save(made, tmp_path / "unfolded.onnx")
        assert [one.rule for one in examined(tmp_path / "unfolded.onnx")[1]] == ["batch-normalisation"]


@pytest.mark.mirror
def test_published_8_bit_files_have_no_findings() -> None:
    found = [*Path(os.environ["QUANTRIFT_MIRROR"], "models").rglob("*.tflite")]
    assert len(found) > 8
    assert [(file.name, one) for file in found for one in examined(file)[1]] == []


@pytest.mark.parametrize("name", ["model.keras", "model.xml", "saved_model"])
def test_other_formats_are_refused_by_what_is_read(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).mkdir()
    assert main(["audit", str(tmp_path / name)]) == 2
    assert f"{name}: audit reads .tflite and .onnx files, which say what runs" in capsys.readouterr().err


def test_an_empty_constant_is_no_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = {
        "w": np.ones((2, 1, 3, 3), np.float32),
        "sizes": np.array([1, 1, 2, 2], np.float32),
        "left_out": np.zeros(0, np.float32),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4),
            helper.make_node("Resize", ["c", "left_out", "sizes"], ["y"]),
        ],
        "enlarged",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 1, 4, 4])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 2, 8, 8])],
        [numpy_helper.from_array(value, name) for name, value in stored.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), str(tmp_path / "m.onnx"))
    assert main(["audit", str(tmp_path / "m.onnx")]) == 0
    assert "Resize" in capsys.readouterr().out
