"""Layers of networks in .onnx files, float ones and ones that ``onnxruntime.quantization`` made, on ONNX Runtime.

A layer is identified by the name of its tensor in the float network, which quantized files keep: beside
``QuantizeLinear`` in QDQ, before ``_quantized`` in QOperator, unchanged in dynamic ones. Integers are read as such and
dequantized here, so that operations which ONNX Runtime fuses into one 8-bit operation stay fused.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.networks.foreign.onnx_graph import OnnxGraph, session_of, with_data
from quantrift.core.networks.graphs.signature import INTEGERS
from quantrift.core.networks.layer_tensors import OUTPUT, Layer
from quantrift.core.networks.layer_values.layered import Cut, Layered
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime

PASSING = {*OnnxGraph.UNCHANGING, "Dropout", "Transpose", "Unsqueeze"}
"""Operations that compute nothing new."""
GRIDS = {"QLinearConcat": 0, "QLinearConv": 6, "QLinearMatMul": 6, "QLinearAdd": 6, "QLinearMul": 6, "QGemm": 7}
"""Index, among its inputs, of the scale of an operation's output, followed by its zero point; for all others whose
names begin with QLinear it is ``GRID``."""
GRID = 3
SUFFIXES = ("_DequantizeLinear_Output", "_QuantizeLinear_Input", "_QuantizeLinear_Output", "_quantized")
"""Suffixes that quantizers add to the name of a tensor."""
OWN = ":alone"
"""Suffix of the name of a layer in a cut network: the layer's own output."""
PROBES = 2, 3
"""Numbers of inputs in the runs that identify tensors with one row per input."""


class LayeredONNX(Layered):
    """An .onnx file whose layers are compared."""

    def __init__(self, path: Path, batch: int, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        With ``values`` its only output is taken as it is, and not as logits.

        Raises:
            QuantriftError: as ``ONNXRuntime`` does.
        """
        self.network = SeenONNX(path, batch, values)
        self.batch, self.rows, self.graph = self.network.batch, self.network.fixed, with_data(path)
        order = {tensor: place for place, tensor in enumerate(self.graph.makers)}
        held = _held(self.graph)
        self._last = _float_name(self.graph.outputs[0] if values else self.graph.logits)
        last = held[self._last]
        # At most a softmax follows the logits.
        before = [one for one in held.values() if order[one.tensor] < order[last.tensor]]
        active = [one for one in before if one.tensor in self.graph.activations]
        found = [*sorted(active, key=lambda one: order[one.tensor]), replace(last, name=OUTPUT)]
        # Types and shapes are known only after a run.
        self.network.show(self.graph, (one.tensor for one in found))
        shape = self.network.input_shape
        zeros = (np.zeros((self.rows or count, *shape), np.float32) for count in PROBES)
        seen, again = map(self.network.observed, zeros)
        both = [(one, seen[one.tensor]) for one in found if one.tensor in seen.keys() & again]
        self.layers = [
            replace(one, type=numbers.dtype.name)
            for one, numbers in both
            # Activations of each input, in float or on a known grid.
            if numbers.ndim > 1 and numbers.dtype in ((np.float32, np.float16) if one.step is None else INTEGERS)
        ]
        self.network.show(self.graph, (one.tensor for one in self.layers))

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """See ``Layered``."""
        values = self.network.observed(x)
        return {layer.name: layer.real(values[layer.tensor]) for layer in self.layers}

    def tensor_names(self) -> dict[str, str]:
        """Name of each tensor of a layer, as the file has it -> name of the layer."""
        return {layer.tensor: layer.name for layer in self.layers}

    def feed(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Name of the file's own input -> what it takes for ``x``, float32 (n, H, W, C)."""
        return {self.graph.changed: self.image(x)}

    def cut(self, tensors: Sequence[str]) -> Cut:
        """See ``Layered``."""
        onnx, model = library("onnx", "onnxruntime"), self.graph.copied()
        read = {name for one in self.graph.operations for name in one.reads}
        given = [tensor for tensor in tensors if tensor in read]
        for node in model.graph.node:
            node.output[:] = [name + OWN if name in tensors else name for name in node.output]
        value, float32 = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT
        model.graph.input.extend(value(tensor, float32, None) for tensor in given)
        del model.graph.output[:], model.graph.value_info[:]
        model.graph.output.extend(onnx.ValueInfoProto(name=tensor + OWN) for tensor in tensors)
        session = session_of(model.SerializeToString())

        def run(image: np.ndarray, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
            feed = {self.graph.changed: image} | {tensor: values[tensor] for tensor in given}
            return dict(zip(tensors, session.run(None, feed), strict=True))

        return run

    def matched(self, compressed: "LayeredONNX") -> list[tuple[Layer, Layer]]:
        """Layers of this network and of a compressed one that hold the same tensor, in the order of this one.

        Where a quantizer left out a Relu or Clip, the output of the operation before it, on its grid, is that of the
        Relu.
        """
        ours = {layer.name: layer for layer in self.layers}
        found: dict[str, Layer] = {}
        for layer in compressed.layers:
            name = layer.name
            while compressed.clips(layer) and (after := self._clipped(name)) and not compressed.computes(after):
                name = after
            name = OUTPUT if name == self._last else name
            if name in ours and ours[name].computed:
                found.setdefault(name, layer)
        return [(ours[name], found[name]) for name in ours if name in found]

    def clips(self, layer: Layer) -> bool:
        """Whether an operation on integers gives this layer, which its grid then clips."""
        return layer.step is not None and self.graph.makers[layer.tensor].kind not in PASSING

    def computes(self, name: str) -> bool:
        """Whether there is an operation for a tensor, other than one that turns integers into it."""
        return name in self.graph.makers and self.graph.makers[name].kind != "DequantizeLinear"

    def _clipped(self, name: str) -> str | None:
        """Output of the Relu or Clip that is the only reader of a tensor.

        The limits of an 8-bit grid replace these: quantizers leave them out behind an operation on integers.
        """
        readers = self.graph.readers.get(name, [])
        return readers[0].outputs[0] if [one.kind for one in readers] in (["Clip"], ["Relu"]) else None


class SeenONNX(ONNXRuntime):
    """A network that gives more tensors than its own outputs; what goes in and comes out of each run is kept."""

    def show(self, graph: OnnxGraph, tensors: Iterable[str]) -> None:
        """Make some tensors outputs of the network, behind its own."""
        self._inner, self._session = graph.session(tensors), self
        self._names = [one.name for one in self._inner.get_outputs()]
        self._kept: list[tuple[Mapping[str, np.ndarray], dict[str, np.ndarray]]] = []

    def observed(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Tensors with a row for each input of ``x``, float32 (n, H, W, C): by name, (n, ...) each."""
        self._kept.clear()
        self(x)
        feed, first = self._kept[0]
        # Only the last run is padded.
        return {
            name: np.concatenate([found[name] for _, found in self._kept])[: len(x)]
            for name in self._names
            if first[name].shape[:1] == (len(feed[self._name]),)
        }

    def run(self, names: None, feed: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """The method of a session that ``ONNXRuntime`` calls."""
        given: list[np.ndarray] = self._inner.run(names, feed)
        self._kept.append((feed, dict(zip(self._names, given, strict=True))))
        return given


def _held(graph: OnnxGraph) -> dict[str, Layer]:
    """Name, in the float network, of each tensor -> the tensor that holds it here, with its grid if it has one."""
    grids: dict[str, tuple[np.dtype[Any], float, int]] = {}
    held: dict[str, Layer] = {}
    for one in graph.operations:
        kind, given, first = one.kind, one.inputs, one.outputs[0]
        name, tensor, scale = _float_name(first), first, None
        if kind == "QuantizeLinear":
            name, scale = _float_name(given[0]), 1
        elif kind == "DequantizeLinear":
            tensor = given[0]
        elif kind.startswith("QLinear") or kind == "QGemm":
            scale = GRIDS.get(kind, GRID)
        elif not given or given[0] not in grids:
            held |= {name: _layer(graph, name, name) for name in one.outputs if name not in held}
            continue
        # Operations that only move integers, like a pooling, keep their grid.
        grid = grids.get(given[0]) if scale is None else graph.grid(given[scale : scale + 2])
        if grid is not None:
            grids[tensor] = grid
            held[name] = replace(_layer(graph, name, tensor), step=grid[1], zero=grid[2])
    return held


def _layer(graph: OnnxGraph, name: str, tensor: str) -> Layer:
    computed = name not in graph.makers or graph.makers[name].kind not in PASSING
    return Layer(name, (), tensor, "", None, 0, computed)


def _float_name(tensor: str) -> str:
    """Name in the float network of a tensor of a quantized one."""
    return reduce(str.removesuffix, SUFFIXES, tensor)
