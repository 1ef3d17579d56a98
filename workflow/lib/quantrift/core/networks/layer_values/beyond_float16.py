"""Values of a network's tensors that float16 cannot hold, on some inputs: in .tflite and .onnx files."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quantrift.core.base.errors import reading
from quantrift.core.networks.batches import check, runs
from quantrift.core.networks.foreign.onnx_graph import with_data
from quantrift.core.networks.layer_values.observed import keeping_all_tensors
from quantrift.core.networks.layer_values.onnx_layers import SeenONNX
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtimes.litert import LiteRT

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter

LIMIT = float(np.finfo(np.float16).max)
"""65504, the largest finite number of float16."""
BATCH = 8
"""Inputs whose activations are all in memory at once."""


class Magnitudes:
    """Largest magnitudes of tensors, and the inputs on which one is beyond ``LIMIT``."""

    def __init__(self, constants: Iterable[tuple[str, np.ndarray]]) -> None:
        """Takes in constants; single numbers, like the limits of a Clip, are none that a result is made of."""
        self.largest: dict[str, float] = {}
        """Name of each tensor -> largest magnitude of its finite values; infinite if a float16 one overflowed."""
        stored = [(name, values) for name, values in constants if values.dtype.kind == "f" and values.size > 1]
        self._stored_beyond = any([self._noted(*one) for one in stored])
        self._hits: list[np.ndarray] = []

    def run(self, rows: int, count: int, tensors: Iterable[tuple[str, np.ndarray]]) -> None:
        """Take in the activations of a run of ``rows`` inputs, of which the first ``count`` are no padding."""
        hit = np.full(rows, self._stored_beyond)
        for name, values in tensors:
            if values.dtype.kind == "f" and self._noted(name, values):
                # Where rows are not the first axis, nobody knows which input it was.
                by_row = values.reshape(rows, -1) if values.shape[:1] == (rows,) else values.reshape(1, -1)
                hit |= (np.abs(by_row) > LIMIT).any(axis=1)
        self._hits.append(hit[:count])

    @property
    def beyond(self) -> dict[str, float]:
        """Tensors that reach beyond ``LIMIT``, the largest first."""
        found = ((name, most) for name, most in self.largest.items() if most > LIMIT)
        return dict(sorted(found, key=lambda one: -one[1]))

    def inputs(self, count: int) -> int:
        """Number of the inputs, of the first ``count`` that were run, on which a tensor is beyond ``LIMIT``."""
        return int(np.concatenate(self._hits)[:count].sum())

    def _noted(self, name: str, values: np.ndarray) -> bool:
        most = _magnitude(values)
        self.largest[name] = max(most, self.largest.get(name, 0.0))
        return most > LIMIT


class _OfTFLite(LiteRT):
    """A .tflite file that keeps every tensor."""

    def __init__(self, path: Path, values: bool) -> None:
        from quantrift.core.networks.tflite_graph import Graph

        self._activations = Graph(path.read_bytes()).activations
        super().__init__(path, BATCH, values)
        self._interpreter.allocate_tensors()
        self.constants = self._tensors(constant=True)

    def _loaded(self) -> "Interpreter":
        return keeping_all_tensors(self._path)

    def seen(self, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        """All activations of a run."""
        self._run(rows)
        return self._tensors(constant=False)

    def _tensors(self, constant: bool) -> Iterator[tuple[str, np.ndarray]]:
        for one in self._interpreter.get_tensor_details():
            if np.issubdtype(one["dtype"], np.floating) and (one["index"] not in self._activations) == constant:
                yield one["name"], self._interpreter.get_tensor(one["index"])


class _OfONNX(SeenONNX):
    """An .onnx file that gives every tensor."""

    def __init__(self, path: Path, values: bool) -> None:
        super().__init__(path, BATCH, values)
        graph, to_array = with_data(path), library("onnx", "onnxruntime").numpy_helper.to_array
        self.constants = ((name, to_array(one)) for name, one in graph.tensors.items())
        self.show(graph, (name for name in graph.makers if name in graph.activations))

    def seen(self, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        """All activations of a run, the inputs among them."""
        self._run(rows)
        feed, tensors = self._kept.pop()
        return ((name, one) for name, one in {**feed, **tensors}.items() if isinstance(one, np.ndarray))


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
    found = Magnitudes(network.constants)
    for batch in batches:
        check(batch, path, network.input_shape)
        for _, rows, count in runs(batch, network.batch, network.fixed):
            with reading(path, f"cannot be run on {len(rows)} inputs at once", "build it with an open batch"):
                found.run(len(rows), count, network.seen(rows))
    return found


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
