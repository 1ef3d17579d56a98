"""The graph in an .onnx file, checked before a runtime reads the file."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError, on_one_line, refuse
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks import graph
from quantrift.core.networks.graphs.choices import Choices, of_onnx
from quantrift.core.networks.graphs.first_operations import GivenGraph, Vocabulary
from quantrift.core.networks.graphs.signature import SIGMOID, SOFTMAX
from quantrift.core.networks.libraries import content, library

DOMAINS = {"", "ai.onnx", "ai.onnx.ml", "com.microsoft", "com.microsoft.nchwc"}
"""Domains of ONNX Runtime's own operations; others need a library of their own."""
FILES = {"EPContext"}
"""Operations that read files, which are named in the graph."""
PLACES = {"QuantizeLinear": 1, "QLinearMatMul": 6, "QLinearConv": 6}
"""Place of the scale of an output among the inputs of the operation that rounds it, followed by its zero point."""


def check_graph(path: Path) -> "OnnxGraph":
    """The graph in an .onnx file, with tensors that stand in other files left there.

    Such files are allowed beside it, as exporters write large networks so; a path that leads elsewhere is not.

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
        raise QuantriftError(f"{path}: not a readable .onnx file ({on_one_line(error)}); export it again") from None
    own = {function.domain for function in model.functions}
    refuse(
        *(
            (
                node.domain not in DOMAINS | own or node.op_type in FILES,
                f"{path}: needs operation {node.op_type}"
                + (f" of {node.domain}" if node.domain else "")
                + ", which ONNX Runtime does not have itself or which reads files; export it without",
            )
            for node in _nodes(model)
        )
    )
    check_unpacked(path, len(data) + sum(file.stat().st_size for file in stored_beside(path, model)))
    return OnnxGraph(model)


class Operation(graph.Operation[str]):
    """A node, by names of tensors: empty for one that is left out."""

    @property
    def reads(self) -> set[str]:
        """See ``graph.Operation``."""
        inside = (one for body in _whole(_inside(self.table)) for one in body.node)
        return {name for one in (self.table, *inside) for name in one.input}


class OnnxGraph(GivenGraph[str]):
    """The graph of an ``onnx.ModelProto``."""

    UNCHANGING = frozenset({"Cast", "DequantizeLinear", "Flatten", "Identity", "QuantizeLinear", "Reshape", "Squeeze"})
    WORDS = Vocabulary(
        # Defined on (n, C, ...).
        spatial={"Conv", "ConvInteger", "QLinearConv", "ConvTranspose", "FusedConv", "MaxPool", "AveragePool", "LpPool"}
        | {"GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool", "QLinearAveragePool", "QLinearGlobalAveragePool"}
        | {"BatchNormalization", "InstanceNormalization", "GroupNormalization", "LRN", "DepthToSpace", "SpaceToDepth"},
        sequences={"LSTM", "GRU", "RNN"},
        tokens={"Gather": 1, "EmbedLayerNormalization": 0},
        means={"ReduceMean", "ReduceSum", "ReduceMax"},
        transposing={"Transpose"},
        shapes={"Reshape", "Squeeze", "Unsqueeze"},
        unchanging={"Cast", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "Pad", "Identity", "Dropout"}
        | {"Gather"},
        elementwise={"Relu", "Clip", "Sigmoid", "Tanh", "LeakyRelu", "Neg", "Abs", "Sqrt", "Exp", "Log", "Pow", "Min"}
        | {"Max", "HardSigmoid", "HardSwish", "Elu", "Selu", "Erf", "Softplus", "PRelu", "Gelu", "QLinearSigmoid"}
        | {"Slice", "QLinearAdd", "QLinearMul"},
        arithmetic={"Add": "Add", "Sub": "Sub", "Mul": "Mul", "Div": "Div"},
        endings={"Softmax": SOFTMAX, "QLinearSoftmax": SOFTMAX, "Sigmoid": SIGMOID, "QLinearSigmoid": SIGMOID},
    )

    def __init__(self, model: Any) -> None:
        """Reads a model."""
        self.model = model
        stored = {tensor.name: tensor for tensor in model.graph.initializer}
        self.given = {one.name: one.type.tensor_type for one in model.graph.input if one.name not in stored}
        """Name of each input that no constant fills in -> its ``onnx.TypeProto.Tensor``."""
        stated = [
            (node.output[0], one) for node in model.graph.node if node.op_type == "Constant" for one in node.attribute
        ]
        self.tensors = stored | {name: one.t for name, one in stated if one.name == "value"}
        """Name of each constant -> its ``onnx.TensorProto``."""
        self.inputs, self.outputs = list(self.given), [one.name for one in model.graph.output]
        self.choices = Choices.of(of_onnx(model))

    @cached_property
    def operations(self) -> list[Operation]:
        """In the order of computation."""
        return [
            Operation(node.op_type, tuple(node.input), tuple(filter(None, node.output)), node)
            for node in self.model.graph.node
        ]

    @property
    def changed(self) -> str:
        """Name of the only input, or of the one that searches change."""
        return self.inputs[self.choices.changed(self.inputs)]

    @property
    def logits(self) -> str:
        """Name of the tensor that holds the logits of the output that is compared, before a softmax at its end."""
        output = next(iter(self.choices.outputs), self.outputs[0])
        last = self.deciding(output)
        return last.inputs[0] if last is not None and self.WORDS.endings.get(last.kind) == SOFTMAX else output

    def sides(self, tensor: str) -> list[int]:
        """See ``GivenGraph``."""
        return [int(side.dim_value) or -1 for side in self.given[tensor].shape.dim]

    def constant(self, tensor: str) -> np.ndarray | None:
        """See ``Graph``; ``None`` also for what is stored in another file."""
        if tensor in self.tensors:
            held, helper = self.tensors[tensor], library("onnx", "onnxruntime").numpy_helper
            return None if held.data_location == held.EXTERNAL else np.asarray(helper.to_array(held))
        maker = self.makers.get(tensor)
        if maker is None or maker.kind not in ("Identity", "Cast", "DequantizeLinear"):
            return None
        stored = self.constant(maker.inputs[0])
        if maker.kind != "DequantizeLinear" or stored is None:
            return stored
        grid = self.grid(maker.inputs[1:3])
        return None if grid is None else (stored.astype(np.float64) - grid[2]) * grid[1]

    def grid(self, names: Sequence[str]) -> tuple[np.dtype[Any], float, int] | None:
        """Type, scale and zero point of integers, by the names of the last two; ``None`` unless both are constant."""
        stated = [name for name in names if name]
        values = [value for name in stated if (value := self.constant(name)) is not None and value.size == 1]
        if not values or len(values) < len(stated):
            return None
        scale, zero = (*values, np.array(0, np.uint8))[:2]
        return zero.dtype, float(scale.item()), int(zero.item())

    def integers_of_input(self, name: str) -> tuple[np.dtype[Any], float, int] | None:
        """Type, scale and zero point of the integers that the input ``name`` is quantized to, or consists of."""
        rounding = ("QuantizeLinear", "DequantizeLinear", "QLinear")
        readers = [one for one in self.readers.get(name, []) if one.kind.startswith(rounding) and one.inputs[0] == name]
        return next((grid for one in readers if (grid := self.grid(one.inputs[1:3])) is not None), None)

    def integers_of_output(self, name: str) -> tuple[np.dtype[Any], float, int] | None:
        """Likewise of the integers at the output ``name``."""
        maker = self.makers.get(name)
        place = None if maker is None else PLACES.get(maker.kind)
        return None if maker is None or place is None else self.grid(maker.inputs[place : place + 2])

    def axes(self, operation: graph.Operation[str], rank: int) -> Sequence[int] | None:
        """See ``GivenGraph``."""
        if operation.kind == "Transpose":
            return attribute(operation.table, "perm") or list(reversed(range(rank)))
        return self.numbers(operation)

    def shape(self, operation: graph.Operation[str], sizes: Sequence[int]) -> Sequence[int] | None:
        """See ``GivenGraph``."""
        if operation.kind == "Reshape":
            return super().numbers(operation)
        axes = self.numbers(operation)
        if axes is None:
            return None
        if operation.kind == "Squeeze":
            return np.delete(sizes, axes).tolist()
        left, rank = iter(sizes), len(sizes) + len(axes)
        added = {axis % rank for axis in axes}
        return [1 if axis in added else next(left) for axis in range(rank)]

    def epsilon(self, operation: graph.Operation[str]) -> float | None:
        """See ``GivenGraph``."""
        return attribute(operation.table, "epsilon", 1e-5) if operation.kind == "BatchNormalization" else None

    def channels_last(self, operation: graph.Operation[str]) -> bool:
        """See ``GivenGraph``."""
        return bool(attribute(operation.table, "channels_last", 0))

    def floats_of_16_bits(self) -> list[str]:
        """Those of ``float16`` and ``bfloat16`` that the network takes, stores or casts to."""
        kinds = library("onnx", "onnxruntime").TensorProto
        found = {attribute(node, "to") for node in _nodes(self.model) if node.op_type == "Cast"}
        found |= {one.type.tensor_type.elem_type for one in self.model.graph.input}
        found |= {tensor.data_type for tensor in _tensors(self.model)}
        return [name for name in ("float16", "bfloat16") if getattr(kinds, name.upper()) in found]

    def session(self, shown: Iterable[str] = ()) -> Any:
        """A session on one thread that gives some tensors beside the network's own outputs."""
        model, named = self.copied(), library("onnx", "onnxruntime").ValueInfoProto
        model.graph.output.extend(named(name=name) for name in dict.fromkeys(shown) if name not in self.outputs)
        return session_of(model.SerializeToString())

    def copied(self) -> Any:
        """A copy of the model, to be changed."""
        copy = library("onnx", "onnxruntime").ModelProto()
        copy.CopyFrom(self.model)
        return copy

    def numbers(self, operation: graph.Operation[str]) -> list[int] | None:
        """See ``GivenGraph``; older sets of operations have axes as an attribute."""
        return attribute(operation.table, "axes") or super().numbers(operation)


def attribute(node: Any, name: str, default: Any = None) -> Any:
    """The value of an attribute of an ``onnx.NodeProto``; ``default`` where it is not stated."""
    value = library("onnx", "onnxruntime").helper.get_attribute_value
    return next((value(one) for one in node.attribute if one.name == name), default)


def session_of(source: str | bytes, optimizations: str = "ORT_ENABLE_ALL") -> Any:
    """A session on one thread of a file or its content; ``optimizations`` is a name of ``GraphOptimizationLevel``."""
    runtime = library("onnxruntime", "onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, optimizations)
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Its warnings are about graphs, which the reader of a file cannot change.
    options.log_severity_level = 3
    return runtime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def with_data(path: Path) -> OnnxGraph:
    """The graph in an .onnx file, with tensors that stand in other files."""
    found = check_graph(path)
    library("onnx", "onnxruntime").external_data_helper.load_external_data_for_model(found.model, str(path.parent))
    return found


def stored_beside(path: Path, model: Any) -> list[Path]:
    """Files beside the network's that hold tensors of an ``onnx.ModelProto``.

    Raises:
        QuantriftError: a tensor is stored elsewhere.
    """
    return sorted({_beside(path, tensor) for tensor in _tensors(model) if tensor.data_location == tensor.EXTERNAL})


def _beside(path: Path, tensor: Any) -> Path:
    """The file that holds a tensor, which must lie beside the network's."""
    name = {entry.key: entry.value for entry in tensor.external_data}.get("location", "")
    file = path.parent / name
    refuse(
        (
            not name or Path(name).name != name or file.is_symlink() or not file.is_file(),
            f"{path}: tensor '{tensor.name}' is stored in '{name}', which is no file beside it; put it there, or "
            "export the network in one file",
        ),
    )
    return file


def _whole(graphs: Iterable[Any]) -> Iterator[Any]:
    """Graphs, and all graphs inside of their nodes."""
    waiting = [*graphs]
    while waiting:
        body = waiting.pop()
        yield body
        waiting += [one for node in body.node for one in _inside(node)]


def _inside(node: Any) -> list[Any]:
    """Graphs that a node holds, like the branches of an ``If``."""
    return [body for one in node.attribute for body in (*one.graphs, *([one.g] if one.HasField("g") else []))]


def _nodes(model: Any) -> Iterator[Any]:
    """All nodes, also of the bodies of functions, and of graphs inside of nodes."""
    return (node for body in _whole([model.graph, *model.functions]) for node in body.node)


def _tensors(model: Any) -> Iterator[Any]:
    """All stored tensors."""
    for body in _whole([model.graph, *model.functions]):
        # Bodies of functions have no initializers.
        yield from getattr(body, "initializer", ())
        sparse = [*getattr(body, "sparse_initializer", ())]
        for one in (stated for node in body.node for stated in node.attribute):
            yield from (*one.tensors, *([one.t] if one.HasField("t") else ()))
            sparse += [*one.sparse_tensors, *([one.sparse_tensor] if one.HasField("sparse_tensor") else ())]
        yield from (part for one in sparse for part in (one.values, one.indices))
