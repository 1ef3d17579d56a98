"""Layers of networks in .onnx files, float ones and ones that ``onnxruntime.quantization`` made, on ONNX Runtime.

A layer is identified by the name of its tensor in the float network, which quantized files keep: beside
``QuantizeLinear`` in QDQ, before ``_quantized`` in QOperator, unchanged in dynamic ones. Integers are read as such and
dequantized here, so that operations which ONNX Runtime fuses into one 8-bit operation stay fused.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.networks.foreign.onnx_graph import check_graph, constants, given_inputs, names_read
from quantrift.core.networks.graphs.signature import INTEGERS
from quantrift.core.networks.layer_tensors import OUTPUT, Layer, of_each_input
from quantrift.core.networks.layer_values.cut_network import reads
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtimes.onnxruntime import UNCHANGING, ONNXRuntime, compared_output

PASSING = {*UNCHANGING, "Dropout", "Transpose", "Unsqueeze"}
"""Operations that compute nothing new."""
CLIPPING = {"Clip", "Relu"}
"""Operations that the limits of an 8-bit grid replace: quantizers leave them out behind an operation on integers."""
SOFTMAX = {"QLinearSoftmax", "Softmax"}
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

Grid = tuple[float, int]
"""Scale and zero point."""


class LayeredONNX:
    """An .onnx file whose layers are compared."""

    def __init__(self, path: Path, batch: int) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        Raises:
            QuantriftError: as ``ONNXRuntime`` does.
        """
        self._network = _Observed(path, batch)
        self._model = with_data(path)
        graph = self._model.graph
        self._makers = {name: node for node in graph.node for name in node.output if name}
        self._tensors = list(self._makers)
        held = _held(graph)
        self._last = last = _float_name(logits_of(self._model))
        places = {name: self._tensors.index(tensor) for name, (tensor, _) in held.items()}
        # At most a softmax follows the logits.
        activations = of_each_input(
            ((names_read(node), node.output) for node in graph.node), (one.name for one in given_inputs(graph))
        )
        names = [
            name
            for name in sorted(held, key=places.__getitem__)
            if places[name] < places[last] and held[name][0] in activations
        ]
        candidates = [*(self._layer(name, *held[name]) for name in names)]
        candidates.append(replace(self._layer(last, *held[last]), name=OUTPUT))
        # Types and shapes are known only after a run.
        self._show(candidates)
        values, again = (self._network.observed(x) for x in self._network.probes())
        self.layers = [
            replace(layer, type=values[tensor].dtype.name)
            for layer in candidates
            if (tensor := self._tensors[layer.tensor]) in values.keys() & again and _is_layer(layer, values[tensor])
        ]
        """In the order in which they are computed, the logits last."""
        self._show(self.layers)

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Values by layer, float32 (n, ...), of ``x``, float32 (n, H, W, C), n > 0; ``output`` holds the logits.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        values = self._network.observed(x)
        return {layer.name: _real(values[self._tensors[layer.tensor]], layer) for layer in self.layers}

    def tensor_names(self) -> dict[str, str]:
        """Name of each tensor of a layer, as the file has it -> name of the layer."""
        return {self._tensors[layer.tensor]: layer.name for layer in self.layers}

    def feed(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Name of the file's own input -> what it takes for ``x``, float32 (n, H, W, C)."""
        return {self._network.input: self._network.signature.encoded(x)}

    def reads(self, layers: Sequence[Layer]) -> dict[str, tuple[str, ...]]:
        """Name of each of some layers -> names of those among them that it reads along the graph."""
        makers = {name: tuple(node.input) for name, node in self._makers.items()}
        return reads(makers, {layer.name: self._tensors[layer.tensor] for layer in layers})

    def alone(self, layers: Sequence[Layer]) -> Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]] | None:
        """Each of some layers on values given from outside, and on the inputs of the last call.

        ``None`` if one of them holds no float32.
        """
        if any(layer.type != "float32" for layer in layers):
            return None
        onnx = library("onnx", "onnxruntime")
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        graph = model.graph
        tensors = {layer.name: self._tensors[layer.tensor] for layer in layers}
        for node in graph.node:
            for place, name in enumerate(node.output):
                if name in tensors.values():
                    node.output[place] = name + OWN
        read = {name for node in graph.node for name in names_read(node)}
        given = [name for name, tensor in tensors.items() if tensor in read]
        float32 = onnx.TensorProto.FLOAT
        graph.input.extend(onnx.helper.make_tensor_value_info(tensors[name], float32, None) for name in given)
        del graph.output[:]
        graph.output.extend(onnx.ValueInfoProto(name=tensor + OWN) for tensor in tensors.values())
        del graph.value_info[:]
        session = session_of(model)

        def run(values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
            start, parts = 0, []
            for image, count in self._network.fed:
                rows = np.minimum(np.arange(start, start + len(image)), start + count - 1)
                feed = {tensors[name]: np.ascontiguousarray(values[name][rows]) for name in given}
                parts.append([one[:count] for one in session.run(None, {self._network.input: image, **feed})])
                start += count
            return {
                name: np.concatenate(of_layer) for name, of_layer in zip(tensors, zip(*parts, strict=True), strict=True)
            }

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
        return layer.step is not None and self._makers[self._tensors[layer.tensor]].op_type not in PASSING

    def computes(self, name: str) -> bool:
        """Whether there is an operation for a tensor, other than one that turns integers into it."""
        return name in self._makers and self._makers[name].op_type != "DequantizeLinear"

    def _clipped(self, name: str) -> str | None:
        """Output of the Relu or Clip that is the only reader of a tensor."""
        readers = [node for node in self._model.graph.node if name in node.input]
        return str(readers[0].output[0]) if len(readers) == 1 and readers[0].op_type in CLIPPING else None

    def _layer(self, name: str, tensor: str, grid: Grid | None) -> Layer:
        step, zero = grid or (None, 0)
        computed = name not in self._makers or self._makers[name].op_type not in PASSING
        return Layer(name, (), self._tensors.index(tensor), "", step, zero, computed)

    def _show(self, layers: Sequence[Layer]) -> None:
        """Make the tensors of some layers outputs of the network."""
        onnx = library("onnx", "onnxruntime")
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        own = [one.name for one in model.graph.output]
        more = dict.fromkeys(self._tensors[layer.tensor] for layer in layers)
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in more if name not in own)
        self._network.observe(session_of(model))


class _Observed(ONNXRuntime):
    """Keeps the inputs and outputs of each run."""

    def probes(self) -> list[np.ndarray]:
        """Inputs of zeros, float32 (n, H, W, C), in different numbers unless the network takes but one."""
        return [np.zeros((self._fixed or count, *self.input_shape), np.float32) for count in PROBES]

    def observe(self, session: Any) -> None:
        """Set a session with more outputs than the file's own, which stays the first."""
        self._session = self
        self._inner = session
        self.input = self._name

    def observed(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs of the session for ``x``, float32 (n, H, W, C): by name, (n, ...) each."""
        self._kept: list[tuple[np.ndarray, list[np.ndarray]]] = []
        self(x)
        counts = [len(fed) for fed, _ in self._kept]
        # Only the last run is padded.
        counts[-1] -= sum(counts) - len(x)
        self.fed = [(fed, count) for (fed, _), count in zip(self._kept, counts, strict=True)]
        names = [one.name for one in self._inner.get_outputs()]
        return {
            name: np.concatenate([given[place][:count] for (_, given), count in zip(self._kept, counts, strict=True)])
            for place, name in enumerate(names)
            if self._kept[0][1][place].shape[:1] == (len(self._kept[0][0]),)
        }

    def run(self, names: None, feed: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """The method of a session that ``ONNXRuntime`` calls."""
        given: list[np.ndarray] = self._inner.run(names, feed)
        self._kept.append((feed[self._name], given))
        return given


def logits_of(model: Any) -> str:
    """Name of the tensor that holds the logits of an ``onnx.ModelProto``, before a softmax at its end."""
    makers = {name: node for node in model.graph.node for name in node.output if name}
    name = inner = compared_output(model)
    while inner in makers and makers[inner].op_type in UNCHANGING:
        inner = makers[inner].input[0]
    if inner in makers and makers[inner].op_type in SOFTMAX:
        name = makers[inner].input[0]
    return name


def _held(graph: Any) -> dict[str, tuple[str, Grid | None]]:
    """Name, in the float network, of each tensor -> the tensor that holds it here, and its grid if it has one."""
    single = _single_numbers(graph)
    grids: dict[str, Grid] = {}
    held: dict[str, tuple[str, Grid | None]] = {}

    def keep(name: str, tensor: str, grid: Grid | None) -> None:
        if grid is not None:
            grids[tensor] = grid
            held[name] = tensor, grid

    for node in graph.node:
        kind, given, first = node.op_type, node.input, node.output[0]
        if kind == "QuantizeLinear":
            keep(_float_name(given[0]), first, _grid(single, given, 1))
        elif kind == "DequantizeLinear":
            keep(_float_name(first), given[0], grids.get(given[0]))
        elif kind.startswith("QLinear") or kind == "QGemm":
            keep(_float_name(first), first, _grid(single, given, GRIDS.get(kind, GRID)))
        elif given and given[0] in grids:
            # Operations that only move integers, like a pooling.
            keep(_float_name(first), first, grids[given[0]])
        else:
            held |= {name: (name, None) for name in node.output if name and name not in held}
    return held


def _grid(single: Mapping[str, np.ndarray], given: Sequence[str], place: int) -> Grid | None:
    """The grid at a place among the inputs of a node; ``None`` where it is not one for all values, or not constant."""
    if len(given) <= place or given[place] not in single:
        return None
    zero = single.get(given[place + 1]) if len(given) > place + 1 else None
    return float(single[given[place]].item()), 0 if zero is None else int(zero.item())


def _single_numbers(graph: Any) -> dict[str, np.ndarray]:
    """Constants of a single number, by name."""
    to_array = library("onnx", "onnxruntime").numpy_helper.to_array
    return {name: to_array(tensor) for name, tensor in constants(graph).items() if np.prod(tensor.dims) == 1}


def _float_name(tensor: str) -> str:
    """Name in the float network of a tensor of a quantized one."""
    for suffix in SUFFIXES:
        tensor = tensor.removesuffix(suffix)
    return tensor


def _is_layer(layer: Layer, values: np.ndarray) -> bool:
    """Whether a tensor holds activations of each input, in float or on a known grid."""
    kinds = (np.float32, np.float16) if layer.step is None else INTEGERS
    return values.dtype in kinds and values.ndim > 1


def _real(numbers: np.ndarray, layer: Layer) -> np.ndarray:
    """The real numbers that a layer's numbers stand for, float32."""
    if layer.step is None:
        return numbers.astype(np.float32, copy=False)
    return (numbers.astype(np.float32) - np.float32(layer.zero)) * np.float32(layer.step)


def with_data(path: Path) -> Any:
    """The model in an .onnx file, with tensors that stand in other files."""
    onnx = library("onnx", "onnxruntime")
    model = check_graph(path)
    onnx.external_data_helper.load_external_data_for_model(model, str(path.parent))
    return model


def session_of(model: Any) -> Any:
    """A session on one thread."""
    runtime = library("onnxruntime", "onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
