"""The graph of a .tflite file holds what LiteRT's interpreter tells of it."""

from pathlib import Path

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from tests.factories.tflite_buffers import behind

from quantrift.core.networks.tflite_graph import DTYPES, Graph, graphs, whole
from quantrift.judge.intake.example import paths


@pytest.fixture(params=["original", "compressed", "int8", "dynamic"])
def content(request: pytest.FixtureRequest, trained: Path, compressed: Path) -> bytes:
    files = {"original": trained / "original.tflite", "compressed": compressed / "model.tflite"}
    return (files.get(request.param) or getattr(paths(), request.param)).read_bytes()


def test_tensors_are_those_of_the_interpreter(content: bytes) -> None:
    graph, interpreter = Graph(content), Interpreter(model_content=content)
    for told in interpreter.get_tensor_details():
        tensor = graph.tensors[told["index"]]
        assert (tensor.name, DTYPES[tensor.type]) == (told["name"], told["dtype"])
        assert tensor.shape == tuple(told["shape"])
        assert tensor.open_shape == tuple(told["shape_signature"])
        stated = told["quantization_parameters"]
        np.testing.assert_array_equal(tensor.scales, stated["scales"].astype(np.float64))
        np.testing.assert_array_equal(tensor.zeros, stated["zero_points"])
        if len(tensor.scales) > 1:
            assert tensor.axis == stated["quantized_dimension"]
    assert [*graph.inputs] == [one["index"] for one in interpreter.get_input_details()]
    assert [*graph.outputs] == [one["index"] for one in interpreter.get_output_details()]


def test_operations_are_those_of_the_interpreter(content: bytes) -> None:
    [graph] = graphs(content)
    told = Interpreter(model_content=content)._get_ops_details()
    assert [one.kind for one in graph.operations] == [one["op_name"] for one in told]
    assert [list(one.inputs) for one in graph.operations] == [one["inputs"].tolist() for one in told]
    assert [list(one.outputs) for one in graph.operations] == [one["outputs"].tolist() for one in told]


@pytest.mark.parametrize("form", [bytes, behind], ids=["within", "behind"])
def test_constants_are_those_of_the_interpreter_wherever_they_are_stored(content: bytes, form: type) -> None:
    graph, interpreter = Graph(form(content)), Interpreter(model_content=content)
    interpreter.allocate_tensors()
    constants = [one for one in graph.tensors if one.stored is not None]
    assert constants
    for tensor in constants:
        assert tensor.numbers is not None
        np.testing.assert_array_equal(tensor.numbers, interpreter.get_tensor(tensor.index), strict=True)


def test_values_of_a_quantized_constant_are_its_numbers_on_its_grid() -> None:
    weights = [one for one in Graph(paths().int8.read_bytes()).tensors if one.type == "INT8" and one.stored is not None]
    assert max(len(one.scales) for one in weights) > 1
    for tensor in weights:
        assert tensor.numbers is not None
        assert tensor.values is not None
        axis = tensor.axis if len(tensor.scales) > 1 else 0
        own = np.moveaxis(tensor.numbers, axis, -1).astype(float)
        np.testing.assert_array_equal(np.moveaxis(tensor.values, axis, -1), (own - tensor.zeros) * tensor.scales)


def test_the_deciding_operation_stands_before_those_that_change_nothing(content: bytes) -> None:
    graph = Graph(content)
    found = graph.deciding(graph.outputs[0])
    assert found is not None
    assert found.kind == "FULLY_CONNECTED"
    assert graph.deciding(graph.inputs[0]) is None


def test_what_holds_no_graph_is_no_network(content: bytes) -> None:
    assert whole(content)
    assert not whole(b"")
    assert not whole(b"no network at all")
