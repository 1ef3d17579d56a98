"""Values of a network's tensors that float16 cannot hold, on some inputs: in .tflite and .onnx files."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quantrift.core.networks.foreign.onnx_graph import constants, given_inputs, names_read
from quantrift.core.networks.layer_tensors import of_each_input
from quantrift.core.networks.layer_values.observed import keeping_all_tensors
from quantrift.core.networks.layer_values.onnx_layers import session_of, with_data
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter

LIMIT = float(np.finfo(np.float16).max)
"""65504, the largest finite number of float16."""
BATCH = 8
"""Inputs whose activations are all in memory at once."""


class Magnitudes:
    """Largest magnitudes of tensors, and the inputs on which one is beyond ``LIMIT``."""

    def __init__(self) -> None:
        self.largest: dict[str, float] = {}
        """Name of each tensor -> largest magnitude of its finite values; infinite if a float16 one overflowed."""
        self._stored_beyond = False
        self._runs: list[np.ndarray] = []

    def store(self, tensors: Iterable[tuple[str, np.ndarray]]) -> None:
        """Take in constants; single numbers, like the limits of a Clip, are none that a result is made of."""
        for name, values in tensors:
            if values.dtype.kind == "f" and values.size > 1:
                self._stored_beyond |= self._noted(name, values)

    def run(self, rows: int, tensors: Iterable[tuple[str, np.ndarray]]) -> None:
        """Take in the activations of a run of some inputs."""
        hit = np.full(rows, self._stored_beyond)
        for name, values in tensors:
            if values.dtype.kind == "f" and self._noted(name, values):
                # Where rows are not the first axis, nobody knows which input it was.
                by_row = values.reshape(rows, -1) if values.shape[:1] == (rows,) else values.reshape(1, -1)
                hit |= (np.abs(by_row) > LIMIT).any(axis=1)
        self._runs.append(hit)

    def restart(self) -> None:
        """Forget all runs."""
        self._runs.clear()

    @property
    def beyond(self) -> dict[str, float]:
        """Tensors that reach beyond ``LIMIT``, the largest first."""
        found = {name: most for name, most in self.largest.items() if most > LIMIT}
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def inputs(self, count: int) -> int:
        """Number of the inputs, of ``count`` that were run in order, on which a tensor is beyond ``LIMIT``."""
        # Only the last run is filled up.
        return int(np.concatenate(self._runs)[:count].sum())

    def _noted(self, name: str, values: np.ndarray) -> bool:
        most = _magnitude(values)
        self.largest[name] = max(most, self.largest.get(name, 0.0))
        return most > LIMIT


class _OfTFLite(LiteRT):
    """A .tflite file that keeps every tensor."""

    def __init__(self, path: Path, values: bool) -> None:
        from quantrift.core.networks.tflite_graph import Graph

        self.magnitudes = Magnitudes()
        graph = Graph(path.read_bytes())
        sides = ((one.inputs, one.outputs) for one in graph.operations)
        self._activations = of_each_input(sides, [one.index for one in graph.inputs])
        super().__init__(path, BATCH, values)
        self._interpreter.allocate_tensors()
        self.magnitudes.store(self._tensors_of(constant=True))

    def _loaded(self) -> "Interpreter":
        return keeping_all_tensors(self._path)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        found = super()._run(rows)
        self.magnitudes.run(len(rows), self._tensors_of(constant=False))
        return found

    def _tensors_of(self, constant: bool) -> Iterable[tuple[str, np.ndarray]]:
        for one in self._interpreter.get_tensor_details():
            floats = np.issubdtype(one["dtype"], np.floating)
            if floats and (one["index"] not in self._activations) == constant:
                yield one["name"], self._interpreter.get_tensor(one["index"])


class _OfONNX(ONNXRuntime):
    """An .onnx file that gives every tensor."""

    def __init__(self, path: Path, values: bool) -> None:
        super().__init__(path, BATCH, values)
        self.magnitudes = Magnitudes()
        onnx, model = library("onnx", "onnxruntime"), with_data(path)
        graph = model.graph
        self.magnitudes.store((name, onnx.numpy_helper.to_array(one)) for name, one in constants(graph).items())
        activations = of_each_input(
            ((names_read(node), node.output) for node in graph.node), (one.name for one in given_inputs(graph))
        )
        own = [one.name for one in graph.output]
        shown = [name for node in graph.node for name in node.output if name in activations and name not in own]
        graph.output.extend(onnx.ValueInfoProto(name=name) for name in shown if name)
        self._names = [one.name for one in graph.output]
        self._shown, self._session = session_of(model), self

    def run(self, names: None, feed: dict[str, np.ndarray]) -> list[Any]:
        """The method of a session that ``ONNXRuntime`` calls."""
        found: list[Any] = self._shown.run(names, feed)
        tensors = [*feed.items(), *zip(self._names, found, strict=True)]
        arrays = [(name, one) for name, one in tensors if isinstance(one, np.ndarray)]
        self.magnitudes.run(len(feed[self._name]), arrays)
        return found


SEEN: dict[str, type[_OfTFLite | _OfONNX]] = {"litert": _OfTFLite, "onnxruntime": _OfONNX}
"""Runtimes of the files whose tensors can be seen."""


def magnitudes(runtime: str, path: Path, values: bool, batches: Iterable[np.ndarray]) -> Magnitudes:
    """Magnitudes of all tensors of a network on some inputs.

    Args:
        runtime: of the file, one of ``SEEN``.
        path: of the file.
        values: whether its outputs are taken as they are, in place of logits.
        batches: of inputs, as the network takes them.

    Raises:
        QuantriftError: the file cannot be read or run.
    """
    network = SEEN[runtime](path, values)
    # Loading it may have run it.
    network.magnitudes.restart()
    for batch in batches:
        network(batch)
    return network.magnitudes


def _magnitude(values: np.ndarray) -> float:
    if not values.size:
        return 0.0
    most = max(float(values.max()), -float(values.min()))
    if math.isfinite(most):
        return most
    # An infinity is one in float16 too, unless float16 made it.
    if values.dtype == np.float16 and np.isinf(values).any():
        return math.inf
    return _magnitude(values[np.isfinite(values)])
