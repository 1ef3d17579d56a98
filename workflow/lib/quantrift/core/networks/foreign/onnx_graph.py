"""Check of the graph in an .onnx file, before a runtime reads the file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import QuantriftError, on_one_line
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.libraries import content, library

DOMAINS = {"", "ai.onnx", "ai.onnx.ml", "com.microsoft", "com.microsoft.nchwc"}
"""Domains of ONNX Runtime's own operations; others need a library of their own."""
FILES = {"EPContext"}
"""Operations that read files, which are named in the graph."""


def check_graph(path: Path) -> Any:
    """The model in an .onnx file, with tensors that stand in other files left there.

    Such files are allowed beside it, as exporters write large networks so; a path that leads elsewhere is not.

    Returns:
        ``onnx.ModelProto``.

    Raises:
        QuantriftError: if ``onnx`` is not installed; if the file is missing or damaged, needs operations of other
            libraries, reads files from other places, or holds more than the limit.
    """
    onnx = library("onnx", "onnxruntime")
    data = content(path, (".onnx",), "onnxruntime")
    try:
        model = onnx.load_from_string(data)
    # The library raises a different error for each kind of damage.
    except Exception as error:
        reason = on_one_line(error)
        raise QuantriftError(f"{path}: not a readable .onnx file ({reason}); export it again") from None
    own = {function.domain for function in model.functions}
    for node in _nodes(model):
        if node.domain not in DOMAINS | own or node.op_type in FILES:
            raise QuantriftError(
                f"{path}: needs operation {node.op_type}"
                + (f" of {node.domain}" if node.domain else "")
                + ", which ONNX Runtime does not have itself or which reads files; export it without"
            )
    check_unpacked(path, len(data) + sum(file.stat().st_size for file in stored_beside(path, model)))
    return model


def given_inputs(graph: Any) -> list[Any]:
    """Inputs of an ``onnx.GraphProto`` that no constant of it fills in: ``onnx.ValueInfoProto``, in order."""
    constants = {tensor.name for tensor in graph.initializer}
    return [one for one in graph.input if one.name not in constants]


def constants(graph: Any) -> dict[str, Any]:
    """Tensor of each constant of an ``onnx.GraphProto``, an initializer or the output of a ``Constant``, by name."""
    found = {tensor.name: tensor for tensor in graph.initializer}
    given = [(node.output[0], one) for node in graph.node if node.op_type == "Constant" for one in node.attribute]
    return found | {name: one.t for name, one in given if one.name == "value"}


def names_read(node: Any) -> set[str]:
    """Names of the tensors that a node reads, also within the graphs inside of it."""
    inside = [one for graph in _whole(_inside(node)) for one in graph.node]
    return {name for one in (node, *inside) for name in one.input}


def floats_of_16_bits(model: Any) -> list[str]:
    """Those of ``float16`` and ``bfloat16`` that a network in an ``onnx.ModelProto`` takes, stores or casts to."""
    kinds = library("onnx", "onnxruntime").TensorProto
    halves = {"float16": kinds.FLOAT16, "bfloat16": kinds.BFLOAT16}
    cast = {one.i for node in _nodes(model) if node.op_type == "Cast" for one in node.attribute if one.name == "to"}
    given = {one.type.tensor_type.elem_type for one in model.graph.input}
    found = cast | given | {tensor.data_type for tensor in _tensors(model)}
    return [name for name, kind in halves.items() if kind in found]


def stored_beside(path: Path, model: Any) -> list[Path]:
    """Files beside the network's that hold its tensors.

    Raises:
        QuantriftError: a tensor is stored elsewhere.
    """
    external = library("onnx", "onnxruntime").TensorProto.EXTERNAL
    return sorted({_beside(path, tensor) for tensor in _tensors(model) if tensor.data_location == external})


def _beside(path: Path, tensor: Any) -> Path:
    """The file that holds a tensor, which must lie beside the network's."""
    said = {entry.key: entry.value for entry in tensor.external_data}
    name = said.get("location", "")
    file = path.parent / name
    if not name or Path(name).name != name or file.is_symlink() or not file.is_file():
        raise QuantriftError(
            f"{path}: tensor '{tensor.name}' is stored in '{name}', which is no file beside it; put it there, or "
            "export the network in one file"
        )
    return file


def _graphs(model: Any) -> Iterator[Any]:
    """The graph, the bodies of its functions, and the graphs inside of nodes."""
    return _whole([model.graph, *model.functions])


def _whole(graphs: Sequence[Any]) -> Iterator[Any]:
    """Graphs, and all graphs inside of their nodes."""
    waiting = [*graphs]
    while waiting:
        graph = waiting.pop()
        yield graph
        waiting += [one for node in graph.node for one in _inside(node)]


def _inside(node: Any) -> list[Any]:
    """Graphs that a node holds, like the branches of an ``If``."""
    return [graph for one in node.attribute for graph in (*one.graphs, *([one.g] if one.HasField("g") else []))]


def _nodes(model: Any) -> Iterator[Any]:
    return (node for graph in _graphs(model) for node in graph.node)


def _tensors(model: Any) -> Iterator[Any]:
    for graph in _graphs(model):
        # Bodies of functions have no initializers.
        yield from getattr(graph, "initializer", ())
        for sparse in getattr(graph, "sparse_initializer", ()):
            yield from (sparse.values, sparse.indices)
        for node in graph.node:
            for attribute in node.attribute:
                yield from attribute.tensors
                if attribute.HasField("t"):
                    yield attribute.t
                for sparse in attribute.sparse_tensors:
                    yield from (sparse.values, sparse.indices)
                if attribute.HasField("sparse_tensor"):
                    yield from (attribute.sparse_tensor.values, attribute.sparse_tensor.indices)
