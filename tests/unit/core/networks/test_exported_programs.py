"""Networks in .pt2 files are read as data: what could run code is refused, and operations tell the layout."""

import copy
import json
import pickle
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories.exported_programs import NODES, SIZES, WEIGHTS, model, node, payload, written
from tests.hostile.makers import Touch

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import LAYOUT, MARKS, with_note
from quantrift.core.networks.graphs.exported_program import ExportedProgram, read_program
from quantrift.core.networks.graphs.first_operations import Start
from quantrift.core.networks.graphs.torch_operations import TorchGraph, check_operations

PADS = {"as_ints": [1, 1]}


def read(path: Path) -> ExportedProgram:
    program = read_program(path)
    check_operations(path, program)
    return program


def start_of(program: ExportedProgram) -> Start:
    return TorchGraph(program, WEIGHTS.get).start(program.inputs[0])


def test_a_network_is_read_with_its_names_sizes_and_weights(tmp_path: Path) -> None:
    program = read(written(tmp_path / "net.pt2"))
    assert (program.inputs, program.outputs, program.titles) == (("x",), ("logits",), ("logits",))
    assert program.borders["x"].sizes == (-1, 3, 6, 5)
    assert [one.target.split(".")[-2] for one in program.nodes] == ["conv2d", "relu", "mean", "linear"]
    for name, value in WEIGHTS.items():
        found = program.weights[name]
        np.testing.assert_array_equal(np.frombuffer(found.content, np.float32).reshape(found.sizes), value)


def test_keys_of_a_dictionary_name_the_outputs(tmp_path: Path) -> None:
    whole = model()
    leaf: dict[str, Any] = {"type": None, "context": None, "children_spec": []}
    tree = {"type": "builtins.dict", "context": '["boxes"]', "children_spec": [leaf]}
    whole["graph_module"]["module_call_graph"][0]["signature"]["out_spec"] = json.dumps([1, tree])
    assert read(written(tmp_path / "net.pt2", whole)).titles == ("boxes",)


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_travels_in_the_archive_and_the_latest_counts(mark: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "net.pt2")
    before = read(path)
    assert before.choices.mark is None
    path.write_bytes(with_note(path.read_bytes(), ".pt2", LAYOUT, mark))
    assert (read(path).choices.mark, read(path).nodes) == (mark, before.nodes)
    assert with_note(b"", ".tflite", LAYOUT, mark).endswith(mark.encode())


FRONTS = {
    "a convolution": (NODES, (-1, 3, 6, 5), 1),
    "channels last, moved": (
        (
            node("permute.default", ["x", {"as_ints": [0, 3, 1, 2]}], "moved"),
            node("conv2d.default", ["moved", "filters"], "features"),
            *NODES[1:],
        ),
        (-1, 6, 5, 3),
        3,
    ),
    "axes exchanged twice": (
        (
            node("transpose.int", ["x", {"as_int": 1}, {"as_int": -1}], "half"),
            node("transpose.int", ["half", {"as_int": 3}, {"as_int": 2}], "moved"),
            node("max_pool2d.default", ["moved", PADS], "features"),
            *NODES[1:],
        ),
        (-1, 6, 5, 3),
        3,
    ),
    "rounded, padded, in 16 bits": (
        (
            node("quantize_per_tensor.default", ["x", {"as_float": 0.1}, {"as_int": 0}], "integers"),
            node("to.dtype", ["integers", {"as_scalar_type": 6}], "short"),
            node("constant_pad_nd.default", ["short", PADS], "padded"),
            node("batch_norm.default", ["padded"], "features"),
            *NODES[1:],
        ),
        (-1, 3, 6, 5),
        1,
    ),
    "mean over space": (NODES[2:], (-1, 3, 6, 5), 1),
    "nothing that tells": (
        (node("flatten.using_ints", ["x", {"as_int": 1}], "features"), *NODES[1:]),
        (-1, 3, 6, 5),
        None,
    ),
}


@pytest.mark.parametrize("front", FRONTS)
def test_the_axis_of_channels_is_found_from_the_first_operations(front: str, tmp_path: Path) -> None:
    nodes, shape, channels = FRONTS[front]
    if front == "mean over space":
        nodes = (node("mean.dim", ["x", {"as_ints": [2, 3]}], "averages"), *nodes[1:])
    program = read_program(written(tmp_path / "net.pt2", model(nodes, shape)))
    assert start_of(program).channels == channels


def test_a_standardisation_is_found_with_its_numbers(tmp_path: Path) -> None:
    nodes = (
        node("sub.Tensor", ["x", {"as_float": 127.5}], "centred"),
        node("div.Tensor", ["centred", {"as_int": 50}], "standardised"),
        node("conv2d.default", ["standardised", "filters"], "features"),
        *NODES[1:],
    )
    found = start_of(read(written(tmp_path / "net.pt2", model(nodes))))
    assert found.slope is not None
    assert found.offset is not None
    np.testing.assert_allclose([found.slope, found.offset], [[1 / 50], [-127.5 / 50]])


def test_an_operation_with_a_factor_of_its_own_hides_the_scale(tmp_path: Path) -> None:
    nodes = (
        node("sub.Tensor", ["x", {"as_float": 0.5}], "centred", alpha={"as_float": 2.0}),
        node("conv2d.default", ["centred", "filters"], "features"),
        *NODES[1:],
    )
    found = start_of(read(written(tmp_path / "net.pt2", model(nodes))))
    assert (found.channels, found.slope) == (1, None)


@pytest.mark.parametrize(
    ("target", "ending"),
    [
        ("softmax.int", "SOFTMAX"),
        ("_softmax.default", "SOFTMAX"),
        ("sigmoid.default", "LOGISTIC"),
        ("relu.default", None),
    ],
)
def test_the_ending_is_seen_through_what_only_reshapes(target: str, ending: str | None, tmp_path: Path) -> None:
    nodes = (*NODES, node(target, ["logits"], "last"), node("view.default", ["last", PADS], "shaped"))
    program = read(written(tmp_path / "net.pt2", model(nodes, sizes={**SIZES, "last": (-1, 5), "shaped": (-1, 5)})))
    assert TorchGraph(program, WEIGHTS.get).ending("shaped") == ending


def refusing(change: Callable[[dict[str, Any], dict[str, Any]], None], path: Path) -> str:
    """The error line of a network whose JSON and list of weights were changed."""
    whole, held = copy.deepcopy(model()), payload()
    change(whole, held)
    with pytest.raises(QuantriftError) as caught:
        read(written(path, whole, held))
    assert "\n" not in str(caught.value)
    assert "; " in str(caught.value)
    return str(caught.value)


def graph(whole: dict[str, Any]) -> Any:
    return whole["graph_module"]["graph"]


REFUSALS: dict[str, tuple[Callable[[dict[str, Any], dict[str, Any]], None], str]] = {
    "a pickled weight": (
        lambda _, held: held["dense"].update(use_pickle=True),
        "'dense' is pickled, which could run code",
    ),
    "an object for a weight": (lambda _, held: held["dense"].update(tensor_meta=None), "'dense' is pickled"),
    "a weight outside its file": (
        lambda _, held: held["dense"]["tensor_meta"].update(storage_offset={"as_int": 10**6}),
        "'dense' lies outside its file",
    ),
    "a weight before its file": (
        lambda _, held: held["dense"]["tensor_meta"].update(storage_offset={"as_int": -4}),
        "'dense' lies outside its file",
    ),
    "a weight that repeats a number": (
        lambda _, held: held["dense"]["tensor_meta"].update(
            sizes=[{"as_int": 10**6}, {"as_int": 10**6}], strides=[{"as_int": 0}, {"as_int": 0}]
        ),
        "unpacks to 4,000.0 GB",
    ),
    "another version": (lambda whole, _: whole["schema_version"].update(major=9), "is of version 9 of the format"),
    "a file that is read": (
        lambda whole, _: graph(whole)["nodes"].append(node("from_file.default", [{"as_string": "/etc/hosts"}], "read")),
        r"aten.from_file.default is not on the list",
    ),
    "numbers at random": (
        lambda whole, _: graph(whole)["nodes"].append(node("rand_like.default", ["logits"], "random")),
        "rand_like.default is not on the list",
    ),
    "an operation of another package": (
        lambda whole, _: graph(whole)["nodes"].append(node("torch.ops.evil.run.default", ["logits"], "found")),
        "torch.ops.evil.run.default is not on the list",
    ),
    "a function of PyTorch": (
        lambda whole, _: graph(whole)["nodes"].append(node("torch.hub.load", [{"as_string": "a/b"}], "found")),
        "torch.hub.load is not on the list",
    ),
    "a function of Python": (
        lambda whole, _: graph(whole)["nodes"].append(node("_operator.methodcaller", [{"as_string": "x"}], "found")),
        "_operator.methodcaller is not on the list",
    ),
    "an attribute behind an operator": (
        lambda whole, _: graph(whole)["nodes"].append(node("_operator.add.__class__", ["logits"], "found")),
        "_operator.add.__class__ is not on the list",
    ),
    "a graph in a graph": (
        lambda whole, _: graph(whole)["nodes"].append(node("relu.default", [{"as_graph": {}}], "found")),
        "not a readable .pt2 file",
    ),
    "training": (
        lambda whole, _: graph(whole)["nodes"].append(
            node("dropout.default", ["logits", {"as_float": 0.5}, {"as_bool": True}], "dropped")
        ),
        r"was exported as in training .*; call \.eval\(\)",
    ),
    "a weight that changes": (
        lambda whole, _: graph(whole)["nodes"].append(node("add_.Tensor", ["dense", {"as_int": 1}], "changed")),
        "writes into a weight or the input",
    ),
    "a view of a weight that changes": (
        lambda whole, _: graph(whole)["nodes"].extend(
            [node("view.default", ["dense", PADS], "seen"), node("mul_.Tensor", ["seen", {"as_int": 2}], "changed")]
        ),
        "writes into a weight or the input",
    ),
    "a value before it is there": (
        lambda whole, _: graph(whole)["nodes"].insert(0, node("relu.default", ["logits"], "early")),
        "are not in the order of their values",
    ),
    "a ring of views": (
        lambda whole, _: graph(whole)["nodes"].extend(
            [node("view.default", ["second", PADS], "first"), node("view.default", ["first", PADS], "second")]
        ),
        "are not in the order of their values",
    ),
    "two values of one name": (
        lambda whole, _: graph(whole)["nodes"].append(node("relu.default", ["logits"], "dense")),
        "are not in the order of their values",
    ),
    "a state that changes": (
        lambda whole, _: whole["graph_module"]["signature"]["output_specs"].append({"buffer_mutation": {}}),
        "changes its own state",
    ),
    "an object as input": (
        lambda whole, _: whole["graph_module"]["signature"]["input_specs"].append({"custom_obj": {}}),
        "takes a custom_obj as input",
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_file_is_refused_that_holds(what: str, tmp_path: Path) -> None:
    change, said = REFUSALS[what]
    assert read(written(tmp_path / "sound.pt2")).nodes
    assert re.search(said, refusing(change, tmp_path / "net.pt2"))


def test_archives_of_other_kinds_are_refused(tmp_path: Path) -> None:
    whole = json.dumps(model()).encode()
    for name, members, said in (
        ("old", {"serialized_exported_program.json": b"{}"}, "weights are pickled"),
        ("compiled", {"net/data/aotinductor/model/net.so": b""}, "compiled code, which is never run"),
        ("empty", {"net/data/weights/weight_0": b""}, "holds 0 networks"),
        (
            "legacy",
            {"net/models/m.json": whole, "net/data/weights/m.pt": b""},
            "that is pickled",
        ),
    ):
        path = tmp_path / f"{name}.pt2"
        with zipfile.ZipFile(path, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        with pytest.raises(QuantriftError, match=said):
            read_program(path)
    (tmp_path / "text.pt2").write_text("no archive")
    with pytest.raises(QuantriftError, match=r"text\.pt2: not a readable \.pt2 file"):
        read_program(tmp_path / "text.pt2")


def test_expressions_names_and_pickles_in_a_file_are_never_run(tmp_path: Path) -> None:
    canary = tmp_path / "ran"
    code = f"__import__('os').mkdir({str(canary)!r})"
    whole = model()
    whole |= {"guards_code": [code], "verifiers": [code]}
    for one in graph(whole)["tensor_values"].values():
        one["sizes"][0] = {"as_expr": {"expr_str": code}}
    for one in graph(whole)["nodes"]:
        one["metadata"] = {"stack_trace": code, "nn_module_stack": code, "from_node": code}
    renamed = json.loads(json.dumps(whole).replace('"positive"', json.dumps(f"x\n{code}\n")))
    more = {"data/sample_inputs/model.pt": pickle.dumps(Touch(canary)), "data/aotinductor/model/net.so": b"code"}
    program = read(written(tmp_path / "net.pt2", renamed, more=more))
    assert program.borders["x"].sizes == (-1, 3, 6, 5)
    assert not canary.exists()


@given(places=st.lists(st.tuples(st.integers(0, 10**6), st.binary(min_size=1, max_size=4)), min_size=1, max_size=5))
def test_whatever_json_a_file_holds_it_is_read_or_refused_in_one_line(
    places: list[tuple[int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray(json.dumps(model()).encode())
    for place, found in places:
        start = place % len(content)
        content[start : start + len(found)] = found
    path = written(tmp_path_factory.mktemp("fuzz") / "net.pt2")
    changed = path.with_name("changed.pt2")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            after.writestr(name, bytes(content) if "models/" in name else before.read(name))
    said = ""
    try:
        read(changed)
    except QuantriftError as error:
        said = str(error)
    assert "\n" not in said
    assert not said or "; " in said
