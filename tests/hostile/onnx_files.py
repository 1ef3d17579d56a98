""".onnx files whose weights lie elsewhere, or with operations that nobody can run."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from tests.hostile.makers import of


def _onnx(folder: Path, nodes: list[Any], tensors: list[Any], **more: Any) -> Path:
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 28, 28, 1])
    told = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 10])
    graph = helper.make_graph(nodes, "net", [given], [told], tensors)
    opsets = [helper.make_opsetid("", 17), *(helper.make_opsetid(name, 1) for name in more.pop("domains", ()))]
    model = helper.make_model(graph, opset_imports=opsets, **more)
    model.ir_version = 9
    (folder / "net.onnx").write_bytes(model.SerializeToString())
    return folder / "net.onnx"


def _dense(*more: Any, shape: tuple[int, ...] = (-1, 784)) -> tuple[list[Any], list[Any]]:
    weights = np.zeros((784, 10), np.float32)
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["flat"]),
        helper.make_node("MatMul", ["flat", "weights"], ["y"]),
        *more,
    ]
    tensors = [
        onnx.numpy_helper.from_array(weights, "weights"),
        onnx.numpy_helper.from_array(np.array(shape, np.int64), "shape"),
    ]
    return nodes, tensors


def _stored_in(folder: Path, location: str) -> Path:
    nodes, tensors = _dense()
    tensors[0].ClearField("raw_data")
    tensors[0].data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", str(784 * 40))):
        tensors[0].external_data.add(key=key, value=value)
    return _onnx(folder, nodes, tensors)


@of("compressed")
def onnx_weights_in_a_folder_above(folder: Path, canary: Path) -> Path:
    (folder.parent / "secret.bin").write_bytes(bytes(784 * 40))
    return _stored_in(folder, "../secret.bin")


@of("compressed")
def onnx_weights_at_an_absolute_path(folder: Path, canary: Path) -> Path:
    return _stored_in(folder, "/etc/passwd")


@of("compressed")
def onnx_weights_behind_a_link(folder: Path, canary: Path) -> Path:
    (folder / "weights.bin").symlink_to("/etc/passwd")
    return _stored_in(folder, "weights.bin")


@of("compressed")
def onnx_constant_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    nodes, tensors = _dense(
        helper.make_node("ConstantOfShape", ["count"], ["big"]), helper.make_node("ReduceSum", ["big"], ["sum"])
    )
    nodes[1] = helper.make_node("MatMul", ["flat", "weights"], ["product"])
    nodes.append(helper.make_node("Add", ["product", "sum"], ["y"]))
    tensors.append(onnx.numpy_helper.from_array(np.array([10**10], np.int64), "count"))
    return _onnx(folder, nodes, tensors)


@of("compressed")
def onnx_operation_of_another_library(folder: Path, canary: Path) -> Path:
    nodes, tensors = _dense(helper.make_node("Evil", ["x"], ["z"], domain="evil"))
    return _onnx(folder, nodes, tensors, domains=["evil"])


@of("compressed")
def onnx_operation_that_reads_a_file(folder: Path, canary: Path) -> Path:
    node = helper.make_node("EPContext", ["x"], ["z"], domain="com.microsoft", ep_cache_context="/etc/passwd")
    nodes, tensors = _dense(node)
    return _onnx(folder, nodes, tensors, domains=["com.microsoft"])


@of("compressed")
def onnx_that_fails_when_it_runs(folder: Path, canary: Path) -> Path:
    return _onnx(folder, *_dense(shape=(3, 784)))


@of("compressed")
def onnx_weights_of_another_size(folder: Path, canary: Path) -> Path:
    nodes, tensors = _dense()
    tensors[0].dims[0] = 10**9
    return _onnx(folder, nodes, tensors)


@of("compressed")
def onnx_cut_short(folder: Path, canary: Path) -> Path:
    path = _onnx(folder, *_dense())
    path.write_bytes(path.read_bytes()[:-100])
    return path
