"""Files that try to run code, to write or read elsewhere, or to take all memory; each maker writes one.

A maker gets an empty folder and ``canary``, a path that nothing may ever create, and returns what a command is given.
"""

import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import onnx
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from keras import layers
from onnx import TensorProto, helper
from tensorflow.core.protobuf import saved_model_pb2

from quantrift.assess.example import paths
from quantrift.records.writer import SETTINGS

Maker = Callable[[Path, Path], Path]
ORIGINALS: dict[str, Maker] = {}
COMPRESSED: dict[str, Maker] = {}
INPUTS: dict[str, Maker] = {}
RECORDS: dict[str, Maker] = {}
CONFIGURATIONS: dict[str, Maker] = {}
GIGA = 10**9
SHAPE = (28, 28, 1)


def of(kind: dict[str, Maker]) -> Callable[[Maker], Maker]:
    """Register a maker under its name in words."""

    def registered(maker: Maker) -> Maker:
        kind[maker.__name__.strip("_").replace("_", " ")] = maker
        return maker

    return registered


def network(*more: layers.Layer) -> keras.Model:
    """A small classifier of the example's inputs."""
    return keras.Sequential([keras.Input(SHAPE), layers.Flatten(), *more, layers.Dense(10, name="last")])


def zeros(archive: zipfile.ZipFile, name: str, start: bytes, count: int, fill: bytes = b"\0") -> None:
    """A member of many equal bytes, written in pieces."""
    with archive.open(name, "w", force_zip64=True) as stream:
        stream.write(start)
        piece = fill * 10**7
        for _ in range(count // len(piece)):
            stream.write(piece)


@contextmanager
def edited_keras(folder: Path) -> Iterator[dict[str, bytes]]:
    """Members of a .keras file, to be changed."""
    path = folder / "net.keras"
    network().save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    yield members
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def with_layer(folder: Path, layer: dict[str, Any]) -> Path:
    """A .keras file with another layer in front of the last."""
    with edited_keras(folder) as members:
        config = json.loads(members["config.json"])
        config["config"]["layers"].insert(2, {"registered_name": None, **layer})
        members["config.json"] = json.dumps(config).encode()
    return folder / "net.keras"


def with_weights(folder: Path, change: Callable[[h5py.File], None]) -> Path:
    """A .keras file whose weights are stored in another way."""
    with edited_keras(folder) as members:
        content = io.BytesIO(members["model.weights.h5"])
        with h5py.File(content, "r+") as file:
            change(file)
        members["model.weights.h5"] = content.getvalue()
    return folder / "net.keras"


def _without_weights(file: h5py.File) -> h5py.Group:
    """The group that held the weights of the last layer, called "0" in it."""
    group = file["layers/dense/vars"]
    del group["0"]
    return group


@of(ORIGINALS)
def keras_lambda(folder: Path, canary: Path) -> Path:
    touch = eval(f"lambda x: [x, open({str(canary)!r}, 'w').close()][0]")
    touch.__name__ = "<lambda>"
    network(layers.Lambda(touch, output_shape=lambda shape: shape)).save(folder / "net.keras")
    canary.unlink(missing_ok=True)
    return folder / "net.keras"


@of(ORIGINALS)
def keras_lambda_h5(folder: Path, canary: Path) -> Path:
    touch = eval(f"lambda x: [x, open({str(canary)!r}, 'w').close()][0]")
    touch.__name__ = "<lambda>"
    network(layers.Lambda(touch, output_shape=lambda shape: shape)).save(folder / "net.h5")
    canary.unlink(missing_ok=True)
    return folder / "net.h5"


@of(ORIGINALS)
def keras_lambda_activation(folder: Path, canary: Path) -> Path:
    network(layers.Dense(4, activation=lambda x: x)).save(folder / "net.keras")
    return folder / "net.keras"


@of(ORIGINALS)
def keras_foreign_class(folder: Path, canary: Path) -> Path:
    return with_layer(folder, {"module": "os", "class_name": "system", "config": {"command": f"touch {canary}"}})


@of(ORIGINALS)
def keras_function_of_python(folder: Path, canary: Path) -> Path:
    config = {"class_name": "function", "config": "exec", "module": "builtins"}
    settings = {"name": "a", "units": 4, "activation": config}
    return with_layer(folder, {"module": "keras.layers", "class_name": "Dense", "config": settings})


@of(ORIGINALS)
def keras_saved_model_layer(folder: Path, canary: Path) -> Path:
    saved = _writing_initializer(folder, canary)
    settings = {"name": "a", "filepath": str(saved)}
    return with_layer(folder, {"module": "keras.layers", "class_name": "TFSMLayer", "config": settings})


@of(ORIGINALS)
def keras_vocabulary_of_another_file(folder: Path, canary: Path) -> Path:
    settings = {"name": "a", "vocabulary": "/etc/passwd"}
    return with_layer(folder, {"module": "keras.layers", "class_name": "StringLookup", "config": settings})


@of(ORIGINALS)
def keras_bomb_in_the_configuration(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "net.keras", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        zeros(archive, "config.json", b"{", 5 * GIGA, b" ")
        archive.writestr("model.weights.h5", b"")
    return folder / "net.keras"


@of(ORIGINALS)
def keras_large_configuration(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "net.keras", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        zeros(archive, "config.json", b"{", 3 * GIGA, b" ")
        archive.writestr("model.weights.h5", b"")
    return folder / "net.keras"


@of(ORIGINALS)
def keras_deep_configuration(folder: Path, canary: Path) -> Path:
    with edited_keras(folder) as members:
        members["config.json"] = b'{"config": ' + b"[" * 10**6
    return folder / "net.keras"


@of(ORIGINALS)
def keras_member_outside(folder: Path, canary: Path) -> Path:
    with edited_keras(folder) as members:
        members["../" * 12 + str(canary)[1:]] = b"x"
    return folder / "net.keras"


@of(ORIGINALS)
def keras_two_members_of_one_name(folder: Path, canary: Path) -> Path:
    with edited_keras(folder):
        pass
    with zipfile.ZipFile(folder / "net.keras", "a") as archive:
        archive.writestr("config.json", b"{}")
    return folder / "net.keras"


@of(ORIGINALS)
def keras_weights_in_another_file(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        del file["layers"]
        file["layers"] = h5py.ExternalLink("/etc/passwd", "/")

    return with_weights(folder, change)


@of(ORIGINALS)
def keras_weights_stored_elsewhere(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        size = 784 * 10 * 4
        _without_weights(file).create_dataset("0", (784, 10), "f4", external=[("/etc/passwd", 0, size)])

    return with_weights(folder, change)


@of(ORIGINALS)
def keras_virtual_weights(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        layout = h5py.VirtualLayout((784, 10), "f4")
        layout[:] = h5py.VirtualSource("/etc/hostname.h5", "x", (784, 10))
        _without_weights(file).create_virtual_dataset("0", layout)

    return with_weights(folder, change)


@of(ORIGINALS)
def keras_weights_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        _without_weights(file).create_dataset("0", (10**6, 10**4), "f4", chunks=(10**3, 10**3), compression="gzip")

    return with_weights(folder, change)


@of(ORIGINALS)
def keras_layer_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    settings = {"name": "a", "units": 13_000_000, "activation": "relu"}
    return with_layer(folder, {"module": "keras.layers", "class_name": "Dense", "config": settings})


@of(ORIGINALS)
def keras_cut_short(folder: Path, canary: Path) -> Path:
    network().save(folder / "net.keras")
    content = (folder / "net.keras").read_bytes()
    (folder / "net.keras").write_bytes(content[: len(content) // 2])
    return folder / "net.keras"


@of(ORIGINALS)
def h5_link_to_another_file(folder: Path, canary: Path) -> Path:
    network().save(folder / "net.h5")
    with h5py.File(folder / "net.h5", "r+") as file:
        file["more"] = h5py.ExternalLink("/etc/passwd", "/")
    return folder / "net.h5"


@of(ORIGINALS)
def h5_link_to_itself(folder: Path, canary: Path) -> Path:
    network().save(folder / "net.h5")
    with h5py.File(folder / "net.h5", "r+") as file:
        file["more"] = h5py.SoftLink("/more")
    return folder / "net.h5"


@of(ORIGINALS)
def h5_pickle(folder: Path, canary: Path) -> Path:
    (folder / "net.h5").write_bytes(pickle.dumps(_Touch(canary)))
    return folder / "net.h5"


class _Touch:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self._path),)


class _Module(tf.Module):
    """Writes when its initializer runs."""

    def __init__(self, canary: Path) -> None:
        super().__init__()
        self.weights = tf.Variable(tf.random.normal((784, 10)))
        self.table = _Resource(canary)

    @tf.function(input_signature=[tf.TensorSpec((None, *SHAPE))])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, (-1, 784)) @ self.weights


class _Resource(tf.saved_model.experimental.TrackableResource):
    def __init__(self, canary: Path) -> None:
        super().__init__(device="CPU")
        self._canary = str(canary)

    def _create_resource(self) -> tf.Tensor:
        return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=(), shared_name="x")

    def _initialize(self) -> None:
        tf.io.write_file(self._canary, "ran")


def _writing_initializer(folder: Path, canary: Path) -> Path:
    module = _Module(canary)
    # Saved, it is read: the resource has to be asked for, or it is left out.
    module.handle = module.table.resource_handle
    tf.saved_model.save(module, folder / "saved", signatures=module.__call__)
    canary.unlink(missing_ok=True)
    return folder / "saved"


@of(ORIGINALS)
def saved_model_initializer_that_writes(folder: Path, canary: Path) -> Path:
    return _writing_initializer(folder, canary)


def _saved(folder: Path, more: Callable[[tf.Tensor], Any]) -> Path:
    module = tf.Module()
    module.weights = tf.Variable(tf.random.normal((784, 10)))

    @tf.function(input_signature=[tf.TensorSpec((None, *SHAPE))])
    def call(x: tf.Tensor) -> tf.Tensor:
        found = more(x)
        with tf.control_dependencies([found] if found is not None else []):
            return tf.reshape(x, (-1, 784)) @ module.weights

    module.call = call
    tf.saved_model.save(module, folder / "saved", signatures=call)
    return folder / "saved"


@of(ORIGINALS)
def saved_model_that_writes(folder: Path, canary: Path) -> Path:
    return _saved(folder, lambda x: tf.io.write_file(str(canary), "ran"))


@of(ORIGINALS)
def saved_model_that_prints_to_a_file(folder: Path, canary: Path) -> Path:
    return _saved(folder, lambda x: tf.print("ran", output_stream=f"file://{canary}"))


@of(ORIGINALS)
def saved_model_that_reads(folder: Path, canary: Path) -> Path:
    return _saved(folder, lambda x: tf.io.read_file("/etc/passwd"))


@of(ORIGINALS)
def saved_model_that_calls_python(folder: Path, canary: Path) -> Path:
    return _saved(folder, lambda x: tf.py_function(lambda: 1, [], tf.int32))


def _edited_graph(folder: Path, change: Callable[[Any], None]) -> Path:
    saved = _saved(folder, lambda x: None)
    model = saved_model_pb2.SavedModel()
    model.ParseFromString((saved / "saved_model.pb").read_bytes())
    change(model.meta_graphs[0])
    (saved / "saved_model.pb").write_bytes(model.SerializeToString())
    return saved


def _writer(function: Any, canary: Path) -> None:
    """Let a function write when it runs."""
    for name, content in (("name", str(canary)), ("content", "ran")):
        node = function.node_def.add(name=f"evil_{name}", op="Const")
        node.attr["dtype"].type = tf.string.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(content))
    function.node_def.add(name="evil", op="WriteFile", input=["evil_name:output:0", "evil_content:output:0"])
    function.control_ret["evil"] = "evil"
    function.signature.control_output.append("evil")


@of(ORIGINALS)
def saved_model_that_writes_while_it_restores(folder: Path, canary: Path) -> Path:
    def change(graph: Any) -> None:
        [restore] = [one for one in graph.graph_def.library.function if "traced_restore" in one.signature.name]
        _writer(restore, canary)

    return _edited_graph(folder, change)


@of(ORIGINALS)
def saved_model_that_saves_while_it_computes(folder: Path, canary: Path) -> Path:
    def change(graph: Any) -> None:
        [save] = [one for one in graph.graph_def.library.function if "traced_save" in one.signature.name]
        graph.saver_def.restore_op_name = graph.saver_def.save_tensor_name.split(":")[0]
        assert save

    return _edited_graph(folder, change)


@of(ORIGINALS)
def saved_model_with_a_function_called_matmul(folder: Path, canary: Path) -> Path:
    def change(graph: Any) -> None:
        function = graph.graph_def.library.function.add()
        function.CopyFrom(graph.graph_def.library.function[0])
        function.signature.name = "MatMul"
        _writer(function, canary)

    return _edited_graph(folder, change)


@of(ORIGINALS)
def saved_model_cut_short(folder: Path, canary: Path) -> Path:
    saved = _saved(folder, lambda x: None)
    content = (saved / "saved_model.pb").read_bytes()
    (saved / "saved_model.pb").write_bytes(content[: len(content) // 2])
    return saved


@of(ORIGINALS)
def saved_model_of_text(folder: Path, canary: Path) -> Path:
    saved = _saved(folder, lambda x: None)
    (saved / "saved_model.pb").rename(saved / "saved_model.pbtxt")
    return saved


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


@of(COMPRESSED)
def onnx_weights_in_a_folder_above(folder: Path, canary: Path) -> Path:
    (folder.parent / "secret.bin").write_bytes(bytes(784 * 40))
    return _stored_in(folder, "../secret.bin")


@of(COMPRESSED)
def onnx_weights_at_an_absolute_path(folder: Path, canary: Path) -> Path:
    return _stored_in(folder, "/etc/passwd")


@of(COMPRESSED)
def onnx_weights_behind_a_link(folder: Path, canary: Path) -> Path:
    (folder / "weights.bin").symlink_to("/etc/passwd")
    return _stored_in(folder, "weights.bin")


@of(COMPRESSED)
def onnx_constant_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    nodes, tensors = _dense(
        helper.make_node("ConstantOfShape", ["count"], ["big"]), helper.make_node("ReduceSum", ["big"], ["sum"])
    )
    nodes[1] = helper.make_node("MatMul", ["flat", "weights"], ["product"])
    nodes.append(helper.make_node("Add", ["product", "sum"], ["y"]))
    tensors.append(onnx.numpy_helper.from_array(np.array([10**10], np.int64), "count"))
    return _onnx(folder, nodes, tensors)


@of(COMPRESSED)
def onnx_operation_of_another_library(folder: Path, canary: Path) -> Path:
    nodes, tensors = _dense(helper.make_node("Evil", ["x"], ["z"], domain="evil"))
    return _onnx(folder, nodes, tensors, domains=["evil"])


@of(COMPRESSED)
def onnx_operation_that_reads_a_file(folder: Path, canary: Path) -> Path:
    node = helper.make_node("EPContext", ["x"], ["z"], domain="com.microsoft", ep_cache_context="/etc/passwd")
    nodes, tensors = _dense(node)
    return _onnx(folder, nodes, tensors, domains=["com.microsoft"])


@of(COMPRESSED)
def onnx_that_fails_when_it_runs(folder: Path, canary: Path) -> Path:
    return _onnx(folder, *_dense(shape=(3, 784)))


@of(COMPRESSED)
def onnx_weights_of_another_size(folder: Path, canary: Path) -> Path:
    nodes, tensors = _dense()
    tensors[0].dims[0] = 10**9
    return _onnx(folder, nodes, tensors)


@of(COMPRESSED)
def onnx_cut_short(folder: Path, canary: Path) -> Path:
    path = _onnx(folder, *_dense())
    path.write_bytes(path.read_bytes()[:-100])
    return path


def _tflite(folder: Path, change: Callable[[schema.ModelT], None]) -> Path:
    import flatbuffers

    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(paths().int8.read_bytes(), 0))
    change(model)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    (folder / "net.tflite").write_bytes(bytes(builder.Output()))
    return folder / "net.tflite"


@of(COMPRESSED)
def tflite_custom_operation(folder: Path, canary: Path) -> Path:
    def change(model: schema.ModelT) -> None:
        code = model.operatorCodes[0]
        code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM
        code.customCode = "FlexWriteFile"

    return _tflite(folder, change)


@of(COMPRESSED)
def tflite_tensor_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    def change(model: schema.ModelT) -> None:
        model.subgraphs[0].tensors[model.subgraphs[0].operators[0].outputs[0]].shape = [1, 10**5, 10**5, 1]

    return _tflite(folder, change)


@of(COMPRESSED)
def tflite_operands_out_of_range(folder: Path, canary: Path) -> Path:
    def change(model: schema.ModelT) -> None:
        model.subgraphs[0].operators[0].inputs = [10**6, 10**6, 10**6]

    return _tflite(folder, change)


@of(COMPRESSED)
def tflite_without_a_network(folder: Path, canary: Path) -> Path:
    return _tflite(folder, lambda model: setattr(model, "subgraphs", []))


@of(COMPRESSED)
def tflite_offsets_out_of_range(folder: Path, canary: Path) -> Path:
    content = bytearray(paths().int8.read_bytes())
    content[:4] = struct.pack("<I", len(content) - 4)
    (folder / "net.tflite").write_bytes(content)
    return folder / "net.tflite"


@of(COMPRESSED)
def tflite_cut_short(folder: Path, canary: Path) -> Path:
    content = paths().int8.read_bytes()
    (folder / "net.tflite").write_bytes(content[: len(content) // 2])
    return folder / "net.tflite"


@of(INPUTS)
def npz_pickle(folder: Path, canary: Path) -> Path:
    np.savez(folder / "x.npz", inputs=np.array([_Touch(canary)] * 3, object), allow_pickle=True)
    return folder / "x.npz"


@of(INPUTS)
def npy_pickle_called_npz(folder: Path, canary: Path) -> Path:
    np.save(folder / "x.npy", np.array([_Touch(canary)] * 3, object), allow_pickle=True)
    (folder / "x.npy").rename(folder / "x.npz")
    return folder / "x.npz"


@of(INPUTS)
def npz_pickle_alone(folder: Path, canary: Path) -> Path:
    (folder / "x.npz").write_bytes(pickle.dumps(_Touch(canary)))
    return folder / "x.npz"


def _header(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "|u1", "fortran_order": False, "shape": shape})
    return stream.getvalue()


@of(INPUTS)
def npz_bomb(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "x.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        zeros(archive, "inputs.npy", _header((10**7, 25, 20, 1)), 5 * GIGA)
    return folder / "x.npz"


@of(INPUTS)
def npz_header_of_eight_terabytes(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "x.npz", "w") as archive:
        archive.writestr("inputs.npy", _header((10**10, 28, 28, 1)) + bytes(100))
    return folder / "x.npz"


@of(INPUTS)
def npz_member_outside(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "x.npz", "w") as archive:
        archive.writestr("../" * 12 + str(canary)[1:], b"x")
    return folder / "x.npz"


@of(INPUTS)
def npz_cut_short(folder: Path, canary: Path) -> Path:
    content = paths().inputs.read_bytes()
    (folder / "x.npz").write_bytes(content[: len(content) // 2])
    return folder / "x.npz"


@of(RECORDS)
def parquet_damaged(folder: Path, canary: Path) -> Path:
    (folder / "seeds_0.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    return folder / "seeds_0.parquet"


@of(RECORDS)
def parquet_of_other_files(folder: Path, canary: Path) -> Path:
    subject = {name: "../../../../../../etc" for name in ("dataset", "model", "compression", "protocol")}
    made = {"subject": subject, "tool": "x", "tool_settings": {"space": {"name": "os", "params": {"strengths": 1}}}}
    table = pa.table({"vector": [[1.0]]}).replace_schema_metadata({SETTINGS: json.dumps(made).encode()})
    deep = folder / "a" / "b" / "c" / "d" / "e" / "f"
    deep.mkdir(parents=True)
    pq.write_table(table, deep / "seeds_0.parquet")
    return deep / "seeds_0.parquet"


@of(RECORDS)
def parquet_settings_of_python(folder: Path, canary: Path) -> Path:
    table = pa.table({"vector": [[1.0]]}).replace_schema_metadata({SETTINGS: pickle.dumps(_Touch(canary))})
    pq.write_table(table, folder / "seeds_0.parquet")
    return folder / "seeds_0.parquet"


def _yaml(folder: Path, text: str) -> Path:
    (folder / "mine.yaml").write_text(text)
    return folder / "mine.yaml"


@of(CONFIGURATIONS)
def yaml_python_object(folder: Path, canary: Path) -> Path:
    return _yaml(folder, f"scale: !!python/object/apply:os.mkdir [{str(canary)!r}]\n")


@of(CONFIGURATIONS)
def yaml_bomb(folder: Path, canary: Path) -> Path:
    rows = ["a0: &a0 {x: 1}"]
    rows += [f"a{n}: &a{n} {{{', '.join(f'k{k}: *a{n - 1}' for k in range(9))}}}" for n in range(1, 12)]
    return _yaml(folder, "scale: mine\n" + "\n".join(rows) + "\n")


@of(CONFIGURATIONS)
def yaml_bomb_in_tools(folder: Path, canary: Path) -> Path:
    rows = ["  a0: &a0 {x: 1}"]
    rows += [f"  a{n}: &a{n} {{{', '.join(f'k{k}: *a{n - 1}' for k in range(9))}}}" for n in range(1, 12)]
    return _yaml(folder, "scale: mine\ntools:\n" + "\n".join(rows) + "\n")


@of(CONFIGURATIONS)
def yaml_deep(folder: Path, canary: Path) -> Path:
    return _yaml(folder, "scale: " + "[" * 10**5 + "\n")


@of(CONFIGURATIONS)
def yaml_command_in_a_path(folder: Path, canary: Path) -> Path:
    return _yaml(folder, f"scale: '$(touch {canary})'\n")
