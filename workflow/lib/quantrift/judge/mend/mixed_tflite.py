"""Mixed precision in .tflite files, by recipes of ai-edge-quantizer."""

import contextlib
import io
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError, on_one_line, refuse
from quantrift.core.networks.graphs.choices import at_end, with_note
from quantrift.core.networks.layer_values.tflite_layers import LayeredTFLite, Observed
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.tflite_graph import Graph, graphs
from quantrift.judge.mend.builder import BATCH, Builder, Manner, Operation
from quantrift.judge.mend.ranges import Ranges

IN_INTEGERS, IN_FLOAT = "min_max_uniform_quantize", "no_quantize"
PACKAGE = "ai_edge_quantizer"
MOVES = {
    "BROADCAST_TO",
    "GATHER",
    "GATHER_ND",
    "MAX_POOL_2D",
    "PACK",
    "PAD",
    "RELU",
    "RESHAPE",
    "RESIZE_NEAREST_NEIGHBOR",
    "SLICE",
    "SPACE_TO_DEPTH",
    "SPLIT",
    "SQUEEZE",
    "STRIDED_SLICE",
    "TRANSPOSE",
    "UNPACK",
}
"""Operations that give values that they read."""


def manner(path: Path) -> Manner:
    """The manner in which a .tflite file is quantized."""
    graph = Graph(path.read_bytes())
    scales = [len(one.scales) for one in graph.tensors if one.type == "INT8" and one.stored is not None]
    return Manner(
        per_channel=not scales or max(scales) > 1,
        float_border="FLOAT32" in [graph.tensors[one].type for one in (graph.inputs[0], graph.outputs[0])],
        quantized=any(op["int8"] for op in audit(path)["ops"] if op["macs"]),
    )


class MixedTFLite(Builder):
    """Files in mixed precision, made of one float .tflite file."""

    tool = "ai-edge-quantizer"

    def __init__(self, path: Path, manner: Manner) -> None:
        """Reads ``path``, and finds out which of its operations can be in 8 bits.

        Raises:
            QuantriftError: the network is not in float32, or not one that ai-edge-quantizer takes.
        """
        self.base = path
        self._content, self.manner = path.read_bytes(), manner
        found = graphs(self._content)
        refuse((len(found) != 1, f"{path}: has loops or branches, which are not mended; export it without them"))
        self._audit = audit(path)
        refuse(
            (
                any(op["macs"] and op["weights"] != "FLOAT32" for op in self._audit["ops"]),
                f"{path}: has weights that are not in float32; give the network before compression",
            )
        )
        # Of its outputs nothing is asked.
        self._observed = Observed(path, values=True)
        self._graph = found[0]
        self._activations = {one.name: one.index for one in self._graph.tensors if one.stored is None}
        # Ranges do not decide what can be in 8 bits.
        flat = dict.fromkeys(self._activations, (-1.0, 1.0))
        self._list(self._listed({op["tensor"]: op for op in audit(self._made((), flat))["ops"]}))

    def _values(self, x: np.ndarray) -> Iterator[tuple[dict[str, np.ndarray], int]]:
        for _, count, _ in self._observed.runs(x, BATCH):
            # Copies, as nothing may hold the interpreter's memory when it runs again.
            yield {name: np.array(self._observed.numbers(place)) for name, place in self._activations.items()}, count

    def macs(self, content: bytes) -> tuple[int, int]:
        """See ``builder.Builder``."""
        found = audit(content)
        return found["int8_macs"], found["macs"]

    def weights(self, content: bytes) -> int:
        """See ``builder.Builder``."""
        return int(audit(content)["weight_bits"])

    def _recipe(self, names: Collection[str]) -> list[dict[str, Any]]:
        weights = "CHANNELWISE" if self.manner.per_channel else "TENSORWISE"
        in_8_bits = _integers(8, symmetric=False, weights=weights)
        # What is kept from 8 bits; in 16 bits, activations have no other form than a symmetric one.
        kept = (
            (IN_INTEGERS, _integers(16, symmetric=True, weights=weights)) if self.manner.in_16_bits else (IN_FLOAT, {})
        )
        border = (IN_FLOAT, {}) if self.manner.float_border else (IN_INTEGERS, in_8_bits)
        # Entries of one expression are read where it first stood, and of all that hold the last one counts.
        everywhere = "^.*$" if self.manner.in_16_bits else ".*"
        sides = [_entry(everywhere, side, *border) for side in ("INPUT", "OUTPUT")]
        # A scope is the names of all outputs of an operation.
        layers = [_entry(f"^{re.escape(name)};?$", "*", *kept) for name in names]
        return [
            _entry(".*", "*", IN_INTEGERS, in_8_bits),
            *(layers + sides if self.manner.in_16_bits else sides * self.manner.float_border + layers),
        ]

    def _made(self, names: Collection[str], ranges: Ranges) -> bytes:
        from ai_edge_quantizer import quantizer

        # The library takes them in as many axes as the tensor has.
        ones = {name: (1,) * len(self._graph.tensors[place].shape) for name, place in self._activations.items()}
        calibrated = {
            name: {end: np.full(shape, value) for end, value in zip(("min", "max"), ranges[name], strict=True)}
            for name, shape in ones.items()
        }
        try:
            # Its bars stand there whatever is asked for.
            with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
                # As in ``Observed``: the library keeps all tensors too.
                warnings.filterwarnings("ignore", "Warning: Enabling `experimental_preserve_all_tensors`")
                made = quantizer.Quantizer(bytearray(self._content), self._recipe(names))
                done = made.quantize(calibrated, enable_progress_bar=False, enable_progress_report=False)
        # It raises whatever the graph at hand leads to.
        except Exception as error:
            raise QuantriftError(f"{self.base}: {self.tool} cannot quantize it ({on_one_line(error)})") from None
        content = bytes(done.quantized_model or b"")
        # The library drops what was noted on the layout and the inputs of a network.
        for key, text in at_end(self._content)[1].items():
            content = with_note(content, ".tflite", key, text)
        return content

    def _listed(self, whole: Mapping[str, Mapping[str, Any]]) -> list[Operation]:
        """Operations of the file; ``whole`` are those of the file that is in 8 bits as far as it goes, by output."""
        try:
            shown = LayeredTFLite(self.base, BATCH)
        except QuantriftError:
            # No classifier.
            shown = LayeredTFLite(self.base, BATCH, values=True)
        seen = {layer.tensor: layer.name for layer in shown.layers}
        tensors, makers, every = self._graph.tensors, self._graph.makers, self._graph.operations
        names = {one.outputs: ";".join(tensors[index].name for index in one.outputs) for one in every}
        return [
            Operation(
                name=names[one.outputs],
                kind=told["op"],
                layer=next((seen[index] for index in one.outputs if index in seen), None),
                reads=tuple(dict.fromkeys(names[makers[index].outputs] for index in one.inputs if index in makers)),
                macs=told["macs"],
                moves=told["op"] in MOVES,
                quantized=now.get("output") == "INT8" and (not told["macs"] or bool(now["int8"])),
            )
            for one, told in zip(every, self._audit["ops"], strict=True)
            for now in [whole.get(told["tensor"], {})]
        ]


bind = MixedTFLite


def _integers(bits: int, symmetric: bool, weights: str) -> dict[str, Any]:
    """Activations in some bits, weights in 8."""
    of_activations = {"num_bits": bits, "symmetric": symmetric, "granularity": "TENSORWISE", "dtype": "INT"}
    return {
        "activation_tensor_config": of_activations,
        "weight_tensor_config": {**of_activations, "num_bits": 8, "symmetric": True, "granularity": weights},
        "compute_precision": "INTEGER",
        "explicit_dequantize": False,
    }


def _entry(regex: str, operation: str, algorithm: str, config: Mapping[str, Any]) -> dict[str, Any]:
    return {"regex": regex, "operation": operation, "algorithm_key": algorithm, "op_config": dict(config)}
