"""Mixed precision in .onnx files, by ONNX Runtime's static quantization."""

import logging
import tempfile
from collections.abc import Collection, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError, on_one_line
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.batches import runs
from quantrift.core.networks.foreign.onnx_graph import check_graph, constants, given_inputs
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.networks.layer_values.onnx_layers import logits_of, session_of
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime
from quantrift.judge.mend.builder import Manner
from quantrift.judge.mend.ranges import Ranges
from quantrift.judge.mend.sixteen_bits import as_library_takes, overrides
from quantrift.judge.mend.units import Operation, units

PACKAGE, SUFFIX = "onnxruntime", ".onnx"
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
BATCH = 8
"""Inputs whose activations are all in memory at once."""
TO_FLOAT = "DequantizeLinear"
OVERRIDES = "TensorQuantOverrides"
SYMMETRIC: Mapping[str, Any] = {"ActivationSymmetric": False, "WeightSymmetric": True}
"""As ONNX Runtime has it by default."""


def manner(path: Path) -> Manner:
    """The manner in which an .onnx file is quantized."""
    graph = check_graph(path).graph
    sizes = {name: prod(tensor.dims) for name, tensor in constants(graph).items()}
    # Biases have a scale for each channel wherever weights have.
    scales = [sizes.get(node.input[1], 1) for node in graph.node if node.op_type == TO_FLOAT and node.input[0] in sizes]
    integers = {"QLinearConv", "QLinearMatMul", "QGemm", "QuantizeLinear"}
    return Manner(
        per_channel=not scales or max(scales) > 1,
        float_border=True,
        quantized=any(node.op_type in integers for node in graph.node),
    )


class MixedONNX:
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
        room = Path(self._folder.name)
        self.base, self._given = room / "base.onnx", path
        self._prepare(path)
        self._network = ONNXRuntime(self.base)
        self._graph = self._model.graph
        self._makers = {name: node for node in self._graph.node for name in node.output if name}
        self._session = self._shown()
        zeros = np.zeros((1, *self._network.input_shape), np.float32)
        shapes = {name: one.shape for name, one in self.values(zeros).items()}
        self._costs = self._counted(shapes)
        flat = dict.fromkeys(shapes, (-1.0, 1.0))
        whole = self._onnx.load_from_string(self._made((), flat))
        self._check_runs(whole)
        self._operations = self._listed(self._in_8_bits(whole.graph))
        self.units = units(self._operations)
        left = [one for one in self._operations if one.macs and not one.quantized]
        self.floats = [f"{one.layer or one.name}: {one.kind} cannot be in 8 bits and stays in float" for one in left]

    def values(self, x: np.ndarray) -> Mapping[str, np.ndarray]:
        """See ``builder.Builder``."""
        signature, names = self._network.signature, [one.name for one in self._session.get_outputs()]
        parts: list[dict[str, np.ndarray]] = []
        for _, rows, count in runs(x, BATCH, signature.rows):
            image = signature.encoded(rows)
            found = self._session.run(None, {self._input: image})
            both = {self._input: image} | dict(zip(names, found, strict=True))
            parts.append({name: one[:count] if one.ndim > 1 else one for name, one in both.items() if one.size})
        return {name: np.concatenate([np.atleast_1d(part[name]) for part in parts]) for name in parts[0]}

    def build(self, kept: Collection[str], ranges: Ranges) -> bytes:
        """See ``builder.Builder``."""
        return self._made(self._names(kept), ranges)

    def recipe(self, kept: Collection[str]) -> Any:
        """See ``builder.Builder``."""
        return {
            "quant_pre_process": {"skip_symbolic_shape": True},
            "quantize_static": self._arguments(self._names(kept)),
        }

    def macs(self, content: bytes) -> tuple[int, int]:
        """See ``builder.Builder``."""
        found = self._in_8_bits(self._onnx.load_from_string(content).graph)
        return sum(cost for name, cost in self._costs.items() if name in found), sum(self._costs.values())

    def weights(self, content: bytes) -> int:
        """See ``builder.Builder``."""
        kinds = self._onnx.TensorProto
        bits = {kinds.FLOAT: 32, kinds.INT16: 16, kinds.INT8: 8, kinds.UINT8: 8}
        stored = self._onnx.load_from_string(content).graph.initializer
        return sum(bits.get(one.data_type, 0) * prod(one.dims) for one in stored)

    @property
    def _input(self) -> str:
        first: str = given_inputs(self._graph)[0].name
        return first

    def _check_runs(self, whole: Any) -> None:
        """Refuse, before anything is measured, what old sets of operations cannot express."""
        try:
            session_of(whole)
        # Each kind of damage has an error class of its own.
        except Exception as error:
            reason = on_one_line(error)
            raise QuantriftError(
                f"{self._given}: quantized, ONNX Runtime cannot run it ({reason}); say --weights tensor, or export it "
                "with operations of opset 13 or later"
            ) from None

    def _arguments(self, names: Collection[str]) -> dict[str, Any]:
        """Arguments for the library, as JSON takes them; ``names`` are nodes kept from 8 bits."""
        wide = names if self.manner.in_16_bits else ()
        more = {OVERRIDES: overrides(self._graph, wide, WEIGHTED)} if wide else {}
        return {
            "quant_format": "QDQ",
            "activation_type": "QInt8",
            "weight_type": "QInt8",
            "per_channel": self.manner.per_channel,
            "nodes_to_exclude": [] if wide else list(names),
            "extra_options": {**SYMMETRIC, **more},
        }

    def _prepare(self, path: Path) -> None:
        """Write ``base``: normalisations folded, shapes known, each node named, and the layout still said."""
        given, kinds = check_graph(path), self._onnx.TensorProto
        if any(
            prod(one.dims) > 1 and one.data_type in (kinds.FLOAT16, kinds.DOUBLE, kinds.INT8, kinds.UINT8)
            for one in constants(given.graph).values()
        ):
            raise QuantriftError(f"{path}: has weights that are not in float32; give the network before compression")
        try:
            with _quiet():
                library("onnxruntime.quantization.shape_inference", "onnxruntime").quant_pre_process(
                    str(path), str(self.base), skip_symbolic_shape=True
                )
        # Each kind of damage has an error class of its own.
        except Exception as error:
            reason = on_one_line(error)
            raise QuantriftError(f"{path}: ONNX Runtime cannot prepare it ({reason}); export it again") from None
        model = self._onnx.load(str(self.base))
        taken: set[str] = set()
        for number, node in enumerate(model.graph.node):
            if not node.name or node.name in taken:
                node.name = f"{node.op_type}_{number}"
            taken.add(node.name)
        said = {one.key for one in model.metadata_props}
        model.metadata_props.extend(one for one in given.metadata_props if one.key not in said)
        self._onnx.save(model, str(self.base))
        self._model = model

    def _shown(self) -> Any:
        """A session that gives the output of every node."""
        model = self._onnx.ModelProto()
        model.CopyFrom(self._model)
        own = {one.name for one in model.graph.output}
        more = [name for name in self._makers if name not in own]
        model.graph.output.extend(self._onnx.ValueInfoProto(name=name) for name in more)
        runtime = library("onnxruntime", "onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def _counted(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Name of each node that multiplies -> its multiply-accumulates for one input."""
        sides = {tensor.name: tuple(tensor.dims) for tensor in self._graph.initializer} | dict(shapes)
        costs = {}
        for node in self._graph.node:
            if node.op_type not in WEIGHTED or node.input[1] not in sides:
                continue
            weights, result, given = sides[node.input[1]], shapes[node.output[0]], shapes[node.input[0]]
            if node.op_type == "Conv":
                costs[node.name] = prod(result) * prod(weights[1:])
            elif node.op_type == "ConvTranspose":
                costs[node.name] = prod(given) * prod(weights[1:])
            else:
                turned = any(one.name == "transA" and one.i for one in node.attribute)
                costs[node.name] = prod(result) * given[0 if turned else -1]
        return costs

    def _listed(self, in_8_bits: Collection[str]) -> list[Operation]:
        """Nodes of the network, given the names of those that can be in 8 bits."""
        seen = {name: name for name in self._makers}
        seen[logits_of(self._model)] = OUTPUT
        return [
            Operation(
                name=node.name,
                kind=node.op_type,
                layer=seen[node.output[0]],
                reads=tuple(dict.fromkeys(self._makers[name].name for name in node.input if name in self._makers)),
                macs=self._costs.get(node.name, 0),
                moves=node.op_type in MOVES,
                quantized=node.name in in_8_bits,
            )
            for node in self._graph.node
        ]

    def _in_8_bits(self, graph: Any) -> set[str]:
        """Names of the nodes of a quantized graph that read integers alone, and of those that it left out for them."""
        in_16 = {one.name for one in graph.initializer if one.data_type == self._onnx.TensorProto.INT16}
        steps = [node for node in graph.node if node.op_type == TO_FLOAT]
        widened = {node.output[0] for node in steps if not in_16.intersection(node.input[2:])}
        there = {node.name for node in graph.node}
        found = {
            node.name
            for node in graph.node
            if node.op_type not in (TO_FLOAT, "QuantizeLinear")
            and node.input[0] in widened
            and (node.op_type not in WEIGHTED or node.input[1] in widened)
        }
        gone = {node.name for node in self._graph.node if node.name not in there}
        return found | gone

    def _names(self, kept: Collection[str]) -> list[str]:
        return [name for unit in self.units if unit.name in kept for name in unit.operations]

    def _made(self, names: Collection[str], ranges: Ranges) -> bytes:
        calibrate, kinds = library("onnxruntime.quantization.calibrate", "onnxruntime"), self._quantization
        data = {name: (np.float32(low), np.float32(high)) for name, (low, high) in ranges.items()}
        with tempfile.TemporaryDirectory(dir=self._folder.name) as room:
            cache, out = Path(room) / "ranges.json", Path(room) / "mixed.onnx"
            calibrate.save_tensors_data(
                calibrate.TensorsData(
                    kinds.CalibrationMethod.MinMax,
                    {name: (np.array(low), np.array(high)) for name, (low, high) in data.items()},
                ),
                cache,
            )
            told = self._arguments(names)
            options = told["extra_options"]
            if OVERRIDES in options:
                options = options | {OVERRIDES: as_library_takes(options[OVERRIDES])}
            try:
                with _quiet():
                    kinds.quantize_static(
                        str(self.base),
                        str(out),
                        quant_format=kinds.QuantFormat[told["quant_format"]],
                        activation_type=kinds.QuantType[told["activation_type"]],
                        weight_type=kinds.QuantType[told["weight_type"]],
                        per_channel=told["per_channel"],
                        nodes_to_exclude=told["nodes_to_exclude"],
                        calibration_cache_path=cache,
                        extra_options=options,
                    )
            # It raises whatever the graph at hand leads to.
            except Exception as error:
                reason = on_one_line(error)
                raise QuantriftError(f"{self._given}: ONNX Runtime cannot quantize it ({reason})") from None
            return out.read_bytes()


bind = MixedONNX


class _quiet:
    """Keeps the library's advice, which is about its own steps, out of standard error."""

    def __enter__(self) -> None:
        self._before = logging.root.manager.disable
        logging.disable(logging.WARNING)

    def __exit__(self, *_: object) -> None:
        logging.disable(self._before)
