"""Faults of shipped pairs do what they say, networks are stated in full, and what was found is told rightly."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from tools.benchmarks import shipped, shipped_pairs
from tools.benchmarks.shipped_pairs import BASE, CAUSES, GOOD, Cause

from quantrift.study.board.public_networks import IMAGENET, NETWORKS
from quantrift.study.board.public_quantizers import onnx_static
from quantrift.study.league.planted.stored_weights_onnx import EditedONNX

SIDE, CLASSES = 8, 4


@pytest.fixture
def model() -> Any:
    """A convolution, a mean over space, a dense layer and a softmax."""
    rng = np.random.default_rng(1)
    shapes = {"w": (5, 3, 3, 3), "b": (5,), "v": (5, CLASSES), "c": (CLASSES,)}
    numbers = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["conv"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["conv"], ["relu"]),
        helper.make_node("GlobalAveragePool", ["relu"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["flat"]),
        helper.make_node("Gemm", ["flat", "v", "c"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["y"]),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "small",
        [value("x", TensorProto.FLOAT, ["n", 3, SIDE, SIDE])],
        [value("y", TensorProto.FLOAT, ["n", CLASSES])],
        [numpy_helper.from_array(one, name) for name, one in numbers.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(20, 3, SIDE, SIDE)).astype(np.float32)


def run(file: Any, x: np.ndarray) -> np.ndarray:
    content = file if isinstance(file, bytes) else file.SerializeToString()
    [found] = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    return np.asarray(found)


def edited(model: Any, edit: Callable[[Any, Any], None]) -> Any:
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    edit(copy, IMAGENET)
    onnx.checker.check_model(copy)
    return copy


def named(name: str) -> Cause:
    [found] = (cause for cause in CAUSES if cause.name == name)
    return found


@pytest.mark.parametrize("order", [[3, 1, 2, 0], [3, 0, 1, 2]])
def test_classes_change_places(model: Any, x: np.ndarray, order: list[int]) -> None:
    found = run(edited(model, partial(shipped_pairs.reordered, order)), x)
    np.testing.assert_allclose(found, run(model, x)[:, order], atol=1e-6)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("BGR for RGB", lambda x: x[:, ::-1]),
        ("rows for columns", lambda x: x.transpose(0, 1, 3, 2)),
        ("other scale", lambda x: named("other scale").samples(x, IMAGENET)),
        ("standardised twice", lambda x: named("standardised twice").samples(x, IMAGENET)),
    ],
)
def test_inputs_are_taken_in_another_form(
    model: Any, x: np.ndarray, name: str, form: Callable[[np.ndarray], np.ndarray]
) -> None:
    changed = edited(model, named(name).edit)
    np.testing.assert_allclose(run(changed, np.ascontiguousarray(form(x))), run(model, x), atol=1e-4)
    assert np.abs(run(changed, x) - run(model, x)).max() > 0.01


def test_images_go_back_to_0_to_255_and_dark_ones_have_a_sixteenth_of_the_light(x: np.ndarray) -> None:
    net = next(net for net in NETWORKS if net.standard == IMAGENET)
    bright = net.taken(np.full((1, 2, 2, 3), 200, np.uint8))
    np.testing.assert_allclose(shipped_pairs.unit(255, bright, IMAGENET), 200, atol=1e-3)
    np.testing.assert_allclose(shipped_pairs.unit(255, shipped_pairs.dark(bright, IMAGENET), IMAGENET), 12.5, atol=1e-3)


def test_faults_of_a_stored_file_are_in_the_layer_that_was_drawn(model: Any, x: np.ndarray) -> None:
    content = onnx_static(model.SerializeToString(), x)
    sound = EditedONNX(content)

    def after(name: str) -> EditedONNX:
        file = EditedONNX(content)
        fault = named(name).stored
        assert fault is not None
        fault(file, 0)
        found = EditedONNX(file.content())
        assert np.abs(run(found.content(), x) - run(content, x)).max() > 1e-3
        for tensor, _ in sound.stored(1):
            np.testing.assert_array_equal(found.get(tensor), sound.get(tensor))
        return found

    (weights, _), (bias, _) = sound.stored(0)
    assert after("scale of a layer x 4").layers
    assert not after("bias dropped").get(bias).any()
    dead = after("three of four channels dead").get(weights)
    assert [bool(one.any()) for one in dead] == [True, False, False, False, True]
    assert len(np.unique(after("weights of 2 bits").get(weights))) <= 2**2
    scales = [
        one.get(one._graph.makers[one._graph.operations[-3].inputs[0]].inputs[1])
        for one in (after("output saturates"), sound)
        if one._graph.operations[-3].kind == "Softmax"
    ]
    assert scales[0] == pytest.approx(scales[1] / 32)


def test_networks_and_causes_are_stated_in_full() -> None:
    names = [net.name for net in NETWORKS]
    assert len({*names}) == len(names) >= 5
    for net in NETWORKS:
        assert [len(bytes.fromhex(one)) for one in (net.wheel_sha256, net.sha256)] == [32, 32]
        assert net.licence in {"Apache-2.0", "MIT"}
        assert net.path.endswith((".onnx", ".tflite"))
    assert len({cause.name for cause in CAUSES}) == len(CAUSES) == 12
    assert {net for net, _ in GOOD} == {*names}
    for cause in CAUSES:
        assert {*cause.networks} <= {*BASE} <= {*names}
        # A fault of a layer is named by its layer, every other one by words.
        assert cause.said or cause.stored


def test_wrong_verdicts_and_causes_that_are_not_named_stand_in_bold() -> None:
    row = {"network": "page", "disagreement": 0.0, "dir": 0.0, "seconds": 9.0, "compare_seconds": 2.0, "layer": None}
    good = row | {"made": "float16", "planted": False, "verdict": "fail", "named": None, "compare_named": None}
    broken = row | {"made": "dead channels", "planted": True, "verdict": "fail", "named": False, "compare_named": True}
    broken |= {"layer": "conv1", "onnxruntime_debugger": "conv2", "polygraphy": "differs"}
    counts = shipped.counted([good, broken])
    assert (counts["false_pass"], counts["false_fail"], counts["named"], counts["named_by_compare"]) == (0, 1, 0, 1)
    text = shipped.text([good, broken])
    assert "| page | float16 | 0.00 | 0.00 | **fail** |  | 9.0 |  | 2.0 |  |  |  |" in text
    assert "| fail | **no** | 9.0 | yes | 2.0 | another layer |  | differs |" in text
