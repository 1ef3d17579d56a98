"""Networks in OpenVINO's own format: two files, which travel and are counted together."""

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.installed import needs

from quantrift.core.base.carried_rows import joined
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import INPUTS, LAYOUT, OUTPUTS, with_note
from quantrift.core.networks.graphs.ends import Ends, NamedInput
from quantrift.core.networks.runtime import beside, ends, file_digest, load_runtime, load_values, module, runtime_of
from quantrift.core.networks.runtimes import openvino_ir

pytestmark = needs("openvino")
RNG = np.random.default_rng(0)
FILTERS = RNG.normal(size=(4, 3, 3, 3)).astype(np.float32)
DENSE = RNG.normal(size=(4, 5)).astype(np.float32)
IMAGES = RNG.random((40, 6, 5, 3)).astype(np.float32)


def written(path: Path, ending: str = "", rows: int = -1, last: bool = False, rounded: bool = False) -> Path:
    """A convolution, its mean over space and logits of that; channels last in front of it where ``last``."""
    from openvino import Model, save_model
    from openvino import opset13 as operations

    x = operations.parameter([rows, 6, 5, 3] if last else [rows, 3, 6, 5], np.float32, name="image")
    seen: Any = x
    if rounded:
        low, high = np.float32(-1), np.float32(1)
        seen = operations.fake_quantize(seen, low, high, low, high, 256)
    seen = operations.divide(operations.subtract(seen, np.float32(0.5)), np.float32(0.25))
    if last:
        seen = operations.transpose(seen, np.array([0, 3, 1, 2]))
    features = operations.convolution(seen, FILTERS, [1, 1], [0, 0], [0, 0], [1, 1])
    mean = operations.reduce_mean(operations.relu(features), np.array([2, 3]), keep_dims=False)
    logits = operations.matmul(mean, DENSE, False, False)
    found = {"": lambda: logits, "softmax": lambda: operations.softmax(logits, 1)}[ending]()
    save_model(Model([found], [x]), path, compress_to_fp16=False)
    return path


def by_numpy(x: np.ndarray) -> np.ndarray:
    """Logits of the network, in float64."""
    x = (x.astype(np.float64) - 0.5) / 0.25
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    features = np.maximum(np.einsum("nhwcij,kcij->nkhw", windows, FILTERS), 0)
    found: np.ndarray = features.mean(axis=(2, 3)) @ DENSE
    return found


@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
@pytest.mark.parametrize("rows", [-1, 3])
def test_a_network_takes_images_in_the_order_that_its_convolution_tells(last: bool, rows: int, tmp_path: Path) -> None:
    path = written(tmp_path / "net.xml", rows=rows, last=last)
    network = load_runtime(runtime_of(path), path)
    assert network.input_shape == (6, 5, 3)
    found = network(IMAGES)
    np.testing.assert_allclose(found, by_numpy(IMAGES), rtol=1e-4, atol=1e-4)
    for batch in (1, 7):
        np.testing.assert_array_equal(load_runtime("openvino_ir", path, batch)(IMAGES), found)
    start = network.signature.start  # type: ignore[attr-defined]
    assert (start.slope.tolist(), start.offset.tolist()) == ([4], [-2])


def test_probabilities_become_logits(tmp_path: Path) -> None:
    network = load_runtime("openvino_ir", written(tmp_path / "net.xml", "softmax"))
    logits = by_numpy(IMAGES)
    np.testing.assert_allclose(network(IMAGES), logits - logits.max(axis=1, keepdims=True), rtol=1e-3, atol=1e-3)


def test_all_outputs_are_given_under_their_names(tmp_path: Path) -> None:
    network = load_values("openvino_ir", written(tmp_path / "net.xml"))
    np.testing.assert_allclose(network(IMAGES), by_numpy(IMAGES), rtol=1e-4, atol=1e-4)
    assert network.signature.values is not None
    assert network.signature.values.shapes == ((5,),)


def test_the_range_of_an_8_bit_input_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "net.xml", rounded=True)
    assert module("openvino_ir").range_of_input(path) == pytest.approx((-1, 1, 2 / 255))
    assert module("openvino_ir").range_of_input(written(tmp_path / "plain.xml")) is None


def test_both_files_travel_and_make_the_digest(tmp_path: Path) -> None:
    path, weights = written(tmp_path / "net.xml"), tmp_path / "net.bin"
    assert beside(path, tmp_path / "copies" / "model.xml") == {weights: tmp_path / "copies" / "model.bin"}
    whole = hashlib.sha256(path.read_bytes() + weights.read_bytes()).hexdigest()
    assert file_digest(path) == whole
    weights.write_bytes(weights.read_bytes()[:-4] + bytes(4))
    assert file_digest(path) != whole
    np.save(tmp_path / "other.npy", IMAGES)
    assert file_digest(tmp_path / "other.npy") == hashlib.sha256((tmp_path / "other.npy").read_bytes()).hexdigest()


def test_a_mark_states_the_layout_where_nothing_else_does(tmp_path: Path) -> None:
    from openvino import Model, save_model
    from openvino import opset13 as operations

    path = tmp_path / "net.xml"
    x = operations.parameter([-1, 3, 6, 5], np.float32)
    weights = RNG.normal(size=(90, 4)).astype(np.float32)
    save_model(Model([operations.matmul(operations.reshape(x, [0, -1], True), weights, False, False)], [x]), path)
    network = load_runtime("openvino_ir", path)
    assert (network.input_shape, network.signature.decided) == ((3, 6, 5), False)  # type: ignore[attr-defined]
    path.write_bytes(with_note(path.read_bytes(), ".xml", LAYOUT, "channels_first"))
    network = load_runtime("openvino_ir", path)
    expected = np.moveaxis(IMAGES, 3, 1).reshape(40, 90) @ weights
    np.testing.assert_allclose(network(IMAGES), expected, rtol=1e-2, atol=1e-2)


def test_damaged_and_incomplete_networks_are_refused_in_one_line(tmp_path: Path) -> None:
    path, weights = written(tmp_path / "net.xml"), tmp_path / "net.bin"
    text, content = path.read_text(), weights.read_bytes()
    for graph, held, said in (
        (text, None, "net.bin, are no file beside it"),
        (text, content[:10], "not a readable .xml file"),
        (text[:800], content, "not a readable .xml file"),
        (text.replace('"Convolution"', '"Unknown"'), content, "not a readable .xml file"),
    ):
        path.write_text(graph)
        weights.unlink(missing_ok=True)
        if held is not None:
            weights.write_bytes(held)
        with pytest.raises(QuantriftError, match=said) as caught:
            load_runtime("openvino_ir", path)
        assert "\n" not in str(caught.value)


def test_weights_behind_a_link_are_refused(tmp_path: Path) -> None:
    path, weights = written(tmp_path / "net.xml"), tmp_path / "net.bin"
    weights.rename(tmp_path / "elsewhere.bin")
    weights.symlink_to(tmp_path / "elsewhere.bin")
    with pytest.raises(QuantriftError, match=r"net\.bin, are no file beside it"):
        load_runtime("openvino_ir", path)


def test_what_changes_from_run_to_run_is_refused(tmp_path: Path) -> None:
    from openvino import Model, save_model
    from openvino import opset13 as operations

    x = operations.parameter([1, 3, 6, 5], np.float32)
    noise = operations.random_uniform([1, 3, 6, 5], np.float32(0), np.float32(1), "f32")
    features = operations.convolution(operations.add(x, noise), FILTERS, [1, 1], [0, 0], [0, 0], [1, 1])
    mean = operations.reduce_mean(features, np.array([2, 3]), keep_dims=False)
    save_model(Model([mean], [x]), tmp_path / "net.xml")
    with pytest.raises(QuantriftError, match=r"draws at random \(RandomUniform\)"):
        load_runtime("openvino_ir", tmp_path / "net.xml")


def in_a_body(path: Path, kind: str, random: bool = True) -> Path:
    """A convolution and its mean, behind a branch or a loop whose body adds numbers, drawn at random or 1."""
    from openvino import Model, save_model
    from openvino import opset13 as operations

    def body() -> tuple[Any, Any, Any]:
        inner = operations.parameter([1, 3, 6, 5], np.float32)
        low, high = np.float32(0), np.float32(1)
        drawn = operations.random_uniform([1, 3, 6, 5], low, high, "f32") if random else high
        result = operations.result(operations.add(inner, drawn))
        return Model([result], [inner]), inner, result

    x = operations.parameter([1, 3, 6, 5], np.float32)
    whole, inner, result = body()
    if kind == "If":
        node = operations.if_op(operations.constant(np.array([True])))
        other, taken, given = body()
        node.set_then_body(other)
        node.set_else_body(whole)
        node.set_input(x.output(0), taken, inner)
        seen = node.set_output(given, result)
    elif kind == "Loop":
        node = operations.loop(operations.constant(np.int64(2)), operations.constant(np.array(True)))
        node.set_function(Model([result, operations.result(operations.constant(np.array(True)))], [inner]))
        node.set_special_body_ports([-1, 1])
        node.set_merged_input(inner, x.output(0), result.output(0))
        seen = node.get_iter_value(result.output(0), -1)
    else:
        node = operations.tensor_iterator()
        node.set_body(whole)
        node.set_sliced_input(inner, x.output(0), 0, 1, 1, -1, 0)
        seen = node.get_iter_value(result.output(0), -1)
    features = operations.convolution(seen, FILTERS, [1, 1], [0, 0], [0, 0], [1, 1])
    save_model(Model([operations.reduce_mean(features, np.array([2, 3]), keep_dims=False)], [x]), path)
    return path


@pytest.mark.parametrize("kind", ["If", "Loop", "TensorIterator"])
def test_what_changes_from_run_to_run_is_refused_inside_of_branches_and_loops(kind: str, tmp_path: Path) -> None:
    load_values("openvino_ir", in_a_body(tmp_path / "net.xml", kind, random=False))
    with pytest.raises(QuantriftError, match=r"draws at random \(RandomUniform\)"):
        load_values("openvino_ir", in_a_body(tmp_path / "net.xml", kind))


@pytest.mark.parametrize("kind", ["If", "Loop", "TensorIterator"])
def test_weights_inside_of_branches_and_loops_stand_in_the_file_of_weights(kind: str, tmp_path: Path) -> None:
    path = in_a_body(tmp_path / "net.xml", kind, random=False)
    text = path.read_text()
    inner = text.index("<body>" if kind != "If" else "<then_body>")
    place = text.index('offset="', inner)
    path.write_text(text[:place] + 'offset="9999' + text[place + len('offset="') :])
    with pytest.raises(QuantriftError, match="Incorrect weights in bin file"):
        load_values("openvino_ir", path)


def test_a_file_of_another_format_under_its_name_is_refused(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    given, told = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 5]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "net", [given], [told])
    (tmp_path / "net.xml").write_bytes(onnx.helper.make_model(graph, ir_version=9).SerializeToString())
    (tmp_path / "net.bin").write_bytes(b"")
    with pytest.raises(QuantriftError, match="is not in OpenVINO's own format"):
        load_values("openvino_ir", tmp_path / "net.xml")


def test_inputs_and_outputs_are_chosen_by_their_names(tmp_path: Path) -> None:
    from openvino import Model, save_model
    from openvino import opset13 as operations

    gain = operations.parameter([-1, 1], np.float32, name="gain")
    x = operations.parameter([-1, 3, 6, 5], np.float32, name="image")
    seen = operations.convolution(x, FILTERS, [1, 1], [0, 0], [0, 0], [1, 1])
    mean = operations.reduce_mean(operations.relu(seen), np.array([2, 3]), keep_dims=False)
    logits = operations.matmul(operations.multiply(mean, gain), DENSE, False, False)
    for port, name in ((gain.output(0), "gain"), (x.output(0), "image"), (logits.output(0), "a--b")):
        port.get_tensor().set_names({name})
    path = tmp_path / "net.xml"
    shares = operations.softmax(mean, 1)
    shares.output(0).get_tensor().set_names({"shares"})
    save_model(Model([shares, logits], [gain, x]), path, compress_to_fp16=False)
    assert ends(path) == Ends([NamedInput("gain", (1,)), NamedInput("image", (3, 6, 5))], ["shares", "a--b"])
    path.write_bytes(
        with_note(with_note(path.read_bytes(), ".xml", INPUTS, ["image", "gain"]), ".xml", OUTPUTS, ["a--b"])
    )
    network = load_runtime(runtime_of(path), path)
    assert network.input_shape == (1, 1, 91)
    gains = RNG.random((40, 1)).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(IMAGES, (3, 3), axis=(1, 2))
    seen = np.maximum(np.einsum("nhwcij,kcij->nkhw", windows, FILTERS), 0).mean(axis=(2, 3))
    np.testing.assert_allclose(network(joined(IMAGES, [gains])), (seen * gains) @ DENSE, rtol=1e-4, atol=1e-4)


def test_operations_that_give_something_else_each_time_are_called_as_openvino_calls_them() -> None:
    from openvino import opset13

    snakes = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in openvino_ir.OTHERS]
    assert [name for name in snakes if not hasattr(opset13, name)] == []
