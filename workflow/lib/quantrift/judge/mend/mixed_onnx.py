"""Mixed precision in .onnx files, by ONNX Runtime's static quantization, which is told about units in 16 bits alone."""

import logging
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError, on_one_line, refuse
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.batches import runs
from quantrift.core.networks.foreign.onnx_graph import OnnxGraph, attribute, check_graph, session_of
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime
from quantrift.judge.mend.builder import BATCH, Builder, Manner, Operation
from quantrift.judge.mend.ranges import Ranges

PACKAGE = "onnxruntime"
MOVES = {
    "Clip",
    "DepthToSpace",
    "Expand",
    "Flatten",
    "Gather",
    "Identity",
    "MaxPool",
    "Pad",
    "Relu",
    "Reshape",
    "Slice",
    "SpaceToDepth",
    "Split",
    "Squeeze",
    "Transpose",
    "Unsqueeze",
}
"""Operations that give values that they read, or cut them off."""
WEIGHTED = ("Conv", "ConvTranspose", "Gemm", "MatMul")
TO_FLOAT = "DequantizeLinear"
IN_16, IN_8 = "QInt16", "QInt8"
OVERRIDES = "TensorQuantOverrides"


def manner(path: Path) -> Manner:
    """The manner in which an .onnx file is quantized."""
    graph = check_graph(path)
    sizes = {name: prod(tensor.dims) for name, tensor in graph.tensors.items()}
    # Biases have a scale for each channel wherever weights have.
    scales = [
        sizes.get(one.inputs[1], 1) for one in graph.operations if one.kind == TO_FLOAT and one.inputs[0] in sizes
    ]
    integers = {"QLinearConv", "QLinearMatMul", "QGemm", "QuantizeLinear"}
    return Manner(
        per_channel=not scales or max(scales) > 1,
        float_border=True,
        quantized=any(one.kind in integers for one in graph.operations),
    )


class MixedONNX(Builder):
    """Files in mixed precision, made of one float .onnx file."""

    tool = "onnxruntime"

    def __init__(self, path: Path, manner: Manner) -> None:
        """Reads ``path``, folds normalisations, and finds out which of its nodes can be in 8 bits.

        Raises:
            QuantriftError: the network is in other numbers than float32, or not one that ONNX Runtime quantizes.
        """
        self._onnx = library("onnx", "onnxruntime")
        self._quantization = library("onnxruntime.quantization", "onnxruntime")
        self.manner = manner
        self._folder = temporary_folder()
        self.base, self._given = Path(self._folder.name) / "base.onnx", path
        self._graph = self._prepared(path)
        # Of its outputs nothing is asked.
        self._network = ONNXRuntime(self.base, values=True)
        self._session = self._graph.session(self._graph.makers)
        shapes = {
            name: one.shape for name, one in self.values(np.zeros((1, *self._network.input_shape), np.float32)).items()
        }
        self._costs = self._counted(shapes)
        whole = self._onnx.load_from_string(self._made((), dict.fromkeys(shapes, (-1.0, 1.0))))
        # What old sets of operations cannot express is refused before anything is measured.
        with self._refusing(
            "quantized, ONNX Runtime cannot run it",
            "; say --weights tensor, or export it with operations of opset 13 or later",
        ):
            session_of(whole.SerializeToString())
        self._list(self._listed(self._in_8_bits(whole.graph)))

    @contextmanager
    def _refusing(self, what: str, remedy: str = "") -> Iterator[None]:
        """Errors within on one line: each kind of damage, and whatever the graph leads to, has a class of its own.

        The library's advice, which is about its own steps, is kept out of standard error.
        """
        before = logging.root.manager.disable
        logging.disable(logging.WARNING)
        try:
            yield
        except Exception as error:
            raise QuantriftError(f"{self._given}: {what} ({on_one_line(error)}){remedy}") from None
        finally:
            logging.disable(before)

    def _values(self, x: np.ndarray) -> Iterator[tuple[dict[str, np.ndarray], int]]:
        given, names = self._graph.inputs[0], [one.name for one in self._session.get_outputs()]
        for _, rows, count in runs(x, BATCH, self._network.signature.rows):
            image = self._network.signature.encoded(rows)
            found = zip((given, *names), (image, *self._session.run(None, {given: image})), strict=True)
            yield {name: one for name, one in found if one.size}, count

    def _recipe(self, names: Collection[str]) -> Any:
        return {"quant_pre_process": {"skip_symbolic_shape": True}, "quantize_static": self._arguments(names)}

    def macs(self, content: bytes) -> tuple[int, int]:
        """See ``builder.Builder``."""
        found = self._in_8_bits(self._onnx.load_from_string(content).graph)
        return sum(cost for name, cost in self._costs.items() if name in found), sum(self._costs.values())

    def weights(self, content: bytes) -> int:
        """See ``builder.Builder``."""
        kinds = self._onnx.TensorProto
        bits = {kinds.FLOAT: 32, kinds.INT16: 16, kinds.INT8: 8, kinds.UINT8: 8}
        return sum(
            bits.get(one.data_type, 0) * prod(one.dims)
            for one in self._onnx.load_from_string(content).graph.initializer
        )

    def _arguments(self, names: Collection[str]) -> dict[str, Any]:
        """Arguments for the library, as JSON takes them; ``names`` are nodes kept from 8 bits."""
        wide = names if self.manner.in_16_bits else ()
        more = {OVERRIDES: _overrides(self._graph, wide)} if wide else {}
        return {
            "quant_format": "QDQ",
            "activation_type": "QInt8",
            "weight_type": "QInt8",
            "per_channel": self.manner.per_channel,
            "nodes_to_exclude": [] if wide else list(names),
            # As ONNX Runtime has it by default.
            "extra_options": {"ActivationSymmetric": False, "WeightSymmetric": True, **more},
        }

    def _prepared(self, path: Path) -> OnnxGraph:
        """Write ``base``: normalisations folded, shapes known, each node named, and the layout still said."""
        given, kinds = check_graph(path), self._onnx.TensorProto
        refuse(
            (
                any(
                    prod(one.dims) > 1 and one.data_type in (kinds.FLOAT16, kinds.DOUBLE, kinds.INT8, kinds.UINT8)
                    for one in given.tensors.values()
                ),
                f"{path}: has weights that are not in float32; give the network before compression",
            )
        )
        prepare = library("onnxruntime.quantization.shape_inference", "onnxruntime").quant_pre_process
        with self._refusing("ONNX Runtime cannot prepare it", "; export it again"):
            prepare(str(path), str(self.base), skip_symbolic_shape=True)
        model = self._onnx.load(str(self.base))
        taken: set[str] = set()
        for number, node in enumerate(model.graph.node):
            if not node.name or node.name in taken:
                node.name = f"{node.op_type}_{number}"
            taken.add(node.name)
        said = {one.key for one in model.metadata_props}
        model.metadata_props.extend(one for one in given.model.metadata_props if one.key not in said)
        self._onnx.save(model, str(self.base))
        return OnnxGraph(model)

    def _counted(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Name of each node that multiplies -> its multiply-accumulates for one input."""
        sides = {name: tuple(tensor.dims) for name, tensor in self._graph.tensors.items()} | dict(shapes)
        costs = {}
        for one in self._graph.operations:
            if one.kind not in WEIGHTED or one.inputs[1] not in sides:
                continue
            weights, result, given = sides[one.inputs[1]], shapes[one.outputs[0]], shapes[one.inputs[0]]
            if one.kind in ("Conv", "ConvTranspose"):
                costs[one.table.name] = prod(result if one.kind == "Conv" else given) * prod(weights[1:])
            else:
                costs[one.table.name] = prod(result) * given[0 if attribute(one.table, "transA") else -1]
        return costs

    def _listed(self, in_8_bits: Collection[str]) -> list[Operation]:
        """Nodes of the network, given the names of those that can be in 8 bits."""
        makers, logits = self._graph.makers, self._graph.logits
        return [
            Operation(
                name=one.table.name,
                kind=one.kind,
                layer=OUTPUT if one.outputs[0] == logits else one.outputs[0],
                reads=tuple(dict.fromkeys(makers[name].table.name for name in one.inputs if name in makers)),
                macs=self._costs.get(one.table.name, 0),
                moves=one.kind in MOVES,
                quantized=one.table.name in in_8_bits,
            )
            for one in self._graph.operations
        ]

    def _in_8_bits(self, graph: Any) -> set[str]:
        """Names of the nodes of a quantized graph that read integers alone, and of those that it left out for them."""
        in_16 = {one.name for one in graph.initializer if one.data_type == self._onnx.TensorProto.INT16}
        widened = {
            node.output[0] for node in graph.node if node.op_type == TO_FLOAT and not in_16.intersection(node.input[2:])
        }
        return {
            node.name
            for node in graph.node
            if node.op_type not in (TO_FLOAT, "QuantizeLinear")
            and node.input[0] in widened
            and (node.op_type not in WEIGHTED or node.input[1] in widened)
        } | {one.table.name for one in self._graph.operations} - {node.name for node in graph.node}

    def _made(self, names: Collection[str], ranges: Ranges) -> bytes:
        calibrate, kinds = library("onnxruntime.quantization.calibrate", "onnxruntime"), self._quantization
        data = {name: (np.array(low, np.float32), np.array(high, np.float32)) for name, (low, high) in ranges.items()}
        with tempfile.TemporaryDirectory(dir=self._folder.name) as room:
            cache, out = Path(room) / "ranges.json", Path(room) / "mixed.onnx"
            calibrate.save_tensors_data(calibrate.TensorsData(kinds.CalibrationMethod.MinMax, data), cache)
            with self._refusing("ONNX Runtime cannot quantize it"):
                told = self._as_library_takes(self._arguments(names))
                kinds.quantize_static(str(self.base), str(out), **told, calibration_cache_path=cache)
            return out.read_bytes()

    def _as_library_takes(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments, or what they hold, with the library's own types in place of those of JSON."""
        kinds, own = self._quantization, self._as_library_takes
        takes: dict[str, Callable[[Any], Any]] = {
            "quant_format": kinds.QuantFormat.__getitem__,
            **dict.fromkeys(("activation_type", "weight_type", "quant_type"), kinds.QuantType.__getitem__),
            **dict.fromkeys(("extra_options", "convert"), own),
            OVERRIDES: lambda each: {name: list(map(own, entries)) for name, entries in each.items()},
            "recv_nodes": set,
        }
        return {name: takes[name](one) if name in takes else one for name, one in told.items()}


bind = MixedONNX


def _overrides(graph: OnnxGraph, names: Collection[str]) -> dict[str, list[dict[str, Any]]]:
    """Name of a tensor -> how it is quantized, as JSON takes it.

    Weights and outputs of some nodes are in 16 bits, and the network's input where they read it.

    Nodes in 8 bits that read such a value get it in 8 bits.

    Args:
        graph: of the float network.
        names: of the nodes.
    """
    stored, nodes = {one.name for one in graph.model.graph.initializer}, graph.model.graph.node
    told: dict[str, list[dict[str, Any]]] = {}
    for node in (one for one in nodes if one.name in names):
        if node.op_type in WEIGHTED and node.input[1] in stored:
            told[node.input[1]] = [{"quant_type": IN_16, "symmetric": True}]
        for value in (*node.output, *(one for one in node.input if one in graph.inputs)):
            # A grid that begins at 0 cuts off what a Relu would; the library leaves that out then.
            how: dict[str, Any] = {"quant_type": IN_16, "symmetric": False}
            if others := [one.name for one in nodes if value in one.input and one.name not in names]:
                how["convert"] = {"quant_type": IN_8, "symmetric": False, "recv_nodes": others}
            told[value] = [how]
    return told
