"""SavedModels with operations that write, read or call Python."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from tests.hostile.makers import SHAPE, of


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


def writing_initializer(folder: Path, canary: Path) -> Path:
    module = _Module(canary)
    # Saved, it is read: the resource has to be asked for, or it is left out.
    module.handle = module.table.resource_handle
    tf.saved_model.save(module, folder / "saved", signatures=module.__call__)
    canary.unlink(missing_ok=True)
    return folder / "saved"


@of("originals")
def saved_model_initializer_that_writes(folder: Path, canary: Path) -> Path:
    return writing_initializer(folder, canary)


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


@of("originals")
def saved_model_that_writes(folder: Path, canary: Path) -> Path:
    return _saved(folder, lambda x: tf.io.write_file(str(canary), "ran"))


@of("originals")
def saved_model_that_prints_to_a_file(folder: Path, canary: Path) -> Path:
    return _saved(folder, lambda x: tf.print("ran", output_stream=f"file://{canary}"))


@of("originals")
def saved_model_that_reads(folder: Path, canary: Path) -> Path:
    return _saved(folder, lambda x: tf.io.read_file("/etc/passwd"))


@of("originals")
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


@of("originals")
def saved_model_that_writes_while_it_restores(folder: Path, canary: Path) -> Path:
    def change(graph: Any) -> None:
        [restore] = [one for one in graph.graph_def.library.function if "traced_restore" in one.signature.name]
        _writer(restore, canary)

    return _edited_graph(folder, change)


@of("originals")
def saved_model_that_saves_while_it_computes(folder: Path, canary: Path) -> Path:
    def change(graph: Any) -> None:
        [save] = [one for one in graph.graph_def.library.function if "traced_save" in one.signature.name]
        graph.saver_def.restore_op_name = graph.saver_def.save_tensor_name.split(":")[0]
        assert save

    return _edited_graph(folder, change)


@of("originals")
def saved_model_with_a_function_called_matmul(folder: Path, canary: Path) -> Path:
    def change(graph: Any) -> None:
        function = graph.graph_def.library.function.add()
        function.CopyFrom(graph.graph_def.library.function[0])
        function.signature.name = "MatMul"
        _writer(function, canary)

    return _edited_graph(folder, change)


@of("originals")
def saved_model_cut_short(folder: Path, canary: Path) -> Path:
    saved = _saved(folder, lambda x: None)
    content = (saved / "saved_model.pb").read_bytes()
    (saved / "saved_model.pb").write_bytes(content[: len(content) // 2])
    return saved


@of("originals")
def saved_model_of_text(folder: Path, canary: Path) -> Path:
    saved = _saved(folder, lambda x: None)
    (saved / "saved_model.pb").rename(saved / "saved_model.pbtxt")
    return saved
