"""Networks cut at every layer, so that a layer's own error can be told from the error that it inherits.

The graph is cut behind each of the layers: later layers take its values from outside, and the layer itself still gives
its output.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from quantrift.core.networks.graphs.signature import SOFTMAX

if TYPE_CHECKING:
    from ai_edge_litert.schema_py_generated import OperatorT

Key = TypeVar("Key")
END = b"TFL3"
"""Identifier of .tflite files."""


def reads(makers: Mapping[Key, Iterable[Key]], layers: Mapping[str, Key]) -> dict[str, tuple[str, ...]]:
    """Name of each layer -> names of the layers that it reads along the graph; the network's input is none of them.

    Args:
        makers: tensor -> tensors that the operation which gives it reads.
        layers: name -> the layer's tensor.
    """
    names = {tensor: name for name, tensor in layers.items()}
    found = {}
    for name, tensor in layers.items():
        waiting, seen, before = [*makers.get(tensor, ())], set(), {}
        while waiting:
            one = waiting.pop(0)
            if one in names:
                before[names[one]] = True
            elif one not in seen:
                seen.add(one)
                waiting += makers.get(one, ())
        found[name] = tuple(before)
    return found


def makers(content: bytes) -> dict[int, tuple[int, ...]]:
    """Index of each tensor that an operation of a .tflite file gives -> indices of the tensors that this reads."""
    from quantrift.core.networks.tflite_graph import Graph

    found = Graph(content).makers
    return {index: tuple(one for one in operation.inputs if one >= 0) for index, operation in found.items()}


def logits_before(content: bytes) -> int | None:
    """Index of the tensor that goes into the softmax at the end of a .tflite file; ``None`` if there is none."""
    from quantrift.core.networks.graphs.tflite_ends import compared_output
    from quantrift.core.networks.tflite_graph import Graph

    last = Graph(content).deciding(compared_output(content))
    return last.inputs[0] if last is not None and last.kind == SOFTMAX else None


class CutTFLite:
    """A float .tflite network, cut behind some of its tensors."""

    def __init__(self, content: bytes, tensors: Sequence[int]) -> None:
        """Loads the network.

        Args:
            content: of the file, which an interpreter has accepted.
            tensors: numbers of the float32 tensors behind which it is cut, each the output of an operation.
        """
        import flatbuffers
        from ai_edge_litert.interpreter import Interpreter

        from quantrift.core.networks.tflite_graph import with_all_buffers

        model = with_all_buffers(content)
        graph = model.subgraphs[0]
        self._image = int(graph.inputs[0])
        self._given = _behind(graph.operators, tensors)
        self._own = {}
        for tensor in tensors:
            self._own[tensor] = len(graph.tensors)
            graph.tensors.append(graph.tensors[tensor])
        for operator in graph.operators:
            operator.outputs = [self._own.get(int(one), int(one)) for one in operator.outputs]
        graph.inputs = [self._image, *self._given]
        graph.outputs = [self._own[tensor] for tensor in tensors]
        # They name inputs and outputs that no longer exist.
        model.signatureDefs = []
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), END)
        self._interpreter = Interpreter(model_content=bytes(builder.Output()), num_threads=1)
        self._rows = 0

    def __call__(self, image: np.ndarray, values: Mapping[int, np.ndarray]) -> dict[int, np.ndarray]:
        """Output of each layer for the values of the layers before it: float32 (n, ...) by number of its tensor.

        Args:
            image: the file's input, (n, ...).
            values: float32 (n, ...) for each tensor behind which the network is cut.

        Raises:
            ValueError: if it cannot be run on them.
            RuntimeError: likewise.
        """
        given = {self._image: image} | {tensor: values[tensor] for tensor in self._given}
        if len(image) != self._rows:
            for tensor, value in given.items():
                self._interpreter.resize_tensor_input(tensor, value.shape, strict=False)
            self._interpreter.allocate_tensors()
            self._rows = len(image)
        for tensor, value in given.items():
            self._interpreter.set_tensor(tensor, value)
        self._interpreter.invoke()
        return {tensor: self._interpreter.get_tensor(own) for tensor, own in self._own.items()}


def _behind(operators: Iterable["OperatorT"], tensors: Collection[int]) -> list[int]:
    """Those of some tensors that an operation reads."""
    read = {int(one) for operator in operators for one in operator.inputs}
    return [tensor for tensor in tensors if tensor in read]
