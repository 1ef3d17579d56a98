"""Check of the graph in a SavedModel, before TensorFlow loads it.

The loader runs the initializers of the network. A SavedModel may put any operation there, also one that writes files.
"""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from tensorflow.core.protobuf import saved_model_pb2

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.foreign.given_files import VARIABLES
from quantrift.core.networks.foreign.pure_operations import PURE, RESTORING, SAVING
from quantrift.core.networks.ways import GRAPH

MAIN = ""
"""Name of the graph itself among the names of functions."""
Node = tuple[str, str]
"""A function, or ``MAIN``, and a node in it."""


def checked_copy(path: Path, folder: Path) -> Path:
    """A SavedModel of pure operations, copied so that the loader reads the checked files and nothing else.

    Args:
        path: its folder, with ``saved_model.pb``.
        folder: of the copy; it must exist.

    Returns:
        The copy's folder: the graph and the variables, without assets and other forms of the graph.

    Raises:
        QuantriftError: if it is damaged, larger than the limit, or does anything else than compute.
    """
    sources = [path / GRAPH, *_variables(path)]
    check_unpacked(path, sum(file.stat().st_size for file in sources))
    content = (path / GRAPH).read_bytes()
    check(content, path)
    copy = folder / "saved_model"
    (copy / VARIABLES).mkdir(parents=True)
    (copy / GRAPH).write_bytes(content)
    for file in sources[1:]:
        shutil.copyfile(file, copy / VARIABLES / file.name)
    return copy


def check(content: bytes, path: Path) -> None:
    """Refuse a graph that does anything else than compute: in its signatures, functions or initializers.

    Operations that save and restore its variables are those that the file names as such, and may do only that.

    Args:
        content: of ``saved_model.pb``.
        path: for messages.

    Raises:
        QuantriftError: if it is damaged, or holds an operation that is on none of the lists.
    """
    model = saved_model_pb2.SavedModel()
    try:
        model.ParseFromString(content)
    except DecodeError:
        raise QuantriftError(f"{path}: damaged SavedModel; export the network again") from None
    if not model.meta_graphs:
        raise QuantriftError(f"{path}: a SavedModel without a graph; export the network again")
    for graph in model.meta_graphs:
        _Graph(graph, path).check()


def _variables(path: Path) -> list[Path]:
    folder = path / VARIABLES
    return sorted(file for file in folder.iterdir() if file.is_file()) if folder.is_dir() else []


class _Graph:
    """Nodes of one graph and of its functions, and the nodes that each of them runs."""

    def __init__(self, graph: Any, path: Path) -> None:
        self._graph, self._path = graph, path
        self._nodes: dict[Node, Any] = {(MAIN, node.name): node for node in graph.graph_def.node}
        self._functions: dict[str, list[Node]] = {}
        count = len(graph.graph_def.node)
        for function in graph.graph_def.library.function:
            name = function.signature.name
            self._functions[name] = [(name, node.name) for node in function.node_def]
            self._nodes |= {(name, node.name): node for node in function.node_def}
            count += len(function.node_def)
        # Of two with one name only the last would be looked at.
        if len(self._nodes) != count or len(self._functions) != len(graph.graph_def.library.function):
            raise QuantriftError(f"{path}: a SavedModel with two nodes or functions of one name; export it again")

    def check(self) -> None:
        saver = self._graph.saver_def
        saving = self._reached(_named(saver.save_tensor_name))
        restoring = self._reached(_named(saver.restore_op_name))
        # Any node that is not of the saver alone may run when the network is loaded, converted or run.
        aside = saving | restoring
        computing = self._reached([*(one for one in self._nodes if one not in aside), *self._started()])
        for reached, allowed in ((computing, PURE), (restoring, RESTORING), (saving, SAVING)):
            for node in sorted(reached):
                if (operation := self._nodes[node].op) not in allowed and operation not in self._functions:
                    self._refuse(node, operation)

    def _refuse(self, node: Node, operation: str) -> None:
        function, name = node
        place = f"function '{function}'" if function else "its graph"
        raise QuantriftError(
            f"{self._path}: operation {operation} in {place} ('{name}') is not on the list of those that only compute, "
            "and is never run; export the network without it, or as .tflite or .onnx"
        )

    def _started(self) -> Iterator[Node]:
        """Nodes that a signature or an initializer names, and those of functions that objects own."""
        for signature in self._graph.signature_def.values():
            for tensor in (*signature.outputs.values(), *signature.inputs.values()):
                yield from _named(tensor.name)
        for collection in self._graph.collection_def.values():
            for name in collection.node_list.value:
                yield from _named(name)
        for name in self._graph.object_graph_def.concrete_functions:
            yield from self._functions.get(name, ())

    def _reached(self, starts: Iterable[Node]) -> set[Node]:
        """All nodes that run with these: their inputs, and the functions that they call."""
        waiting = [one for one in starts if one in self._nodes]
        found = set(waiting)
        while waiting:
            place, _ = current = waiting.pop()
            node = self._nodes[current]
            after: list[Node] = [(place, _node_of(given)) for given in node.input]
            for called in (node.op, *_called(node.attr)):
                after += self._functions.get(called, ())
            for one in after:
                if one in self._nodes and one not in found:
                    found.add(one)
                    waiting.append(one)
        return found


def _named(tensor: str) -> list[Node]:
    return [(MAIN, _node_of(tensor))] if tensor else []


def _node_of(tensor: str) -> str:
    """The node of ``node:0``, ``node:output:0`` or ``^node``."""
    return tensor.removeprefix("^").split(":", 1)[0]


def _called(attributes: Any) -> Iterator[str]:
    """Functions that attributes name, those that are handed on to functions included."""
    for attribute in attributes.values():
        functions = [*attribute.list.func, *([attribute.func] if attribute.HasField("func") else [])]
        for function in functions:
            yield function.name
            yield from _called(function.attr)
