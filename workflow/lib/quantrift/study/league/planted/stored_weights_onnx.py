"""Edits of .onnx files whose rounding is written out before and behind each operation (QDQ)."""

import numpy as np

from quantrift.core.networks.foreign.onnx_graph import OnnxGraph, attribute
from quantrift.core.networks.graph import Operation
from quantrift.core.networks.libraries import library
from quantrift.study.league.planted.stored_weights import Edited

OUTPUT_AXIS = {"Conv": 0, "MatMul": -1, "Gemm": -1}
"""Operation with weights -> axis of its outputs; ``Gemm`` may have them turned."""
Node = Operation[str]


class EditedONNX(Edited):
    """A file that ``onnxruntime.quantization.quantize_static`` made."""

    def __init__(self, content: bytes) -> None:
        """Reads a file."""
        self._onnx = library("onnx", "onnxruntime")
        self._graph = OnnxGraph(self._onnx.load_from_string(content))
        self.layers = [one for one in self._graph.operations if one.kind in OUTPUT_AXIS and self._rounded(one, 1)]

    def stored(self, layer: int) -> list[tuple[str, int]]:
        """See ``Edited``."""
        one = self.layers[layer]
        axis = 0 if attribute(one.table, "transB") else OUTPUT_AXIS[one.kind]
        both = [(self._rounded(one, place), axis) for place, axis in ((1, axis), (2, 0))]
        return [(rounding.inputs[0], axis) for rounding, axis in both if rounding]

    def get(self, tensor: str) -> np.ndarray:
        """See ``Edited``."""
        return np.array(self._onnx.numpy_helper.to_array(self._graph.tensors[tensor]))

    def put(self, tensor: str, numbers: np.ndarray) -> None:
        """See ``Edited``."""
        self._graph.tensors[tensor].CopyFrom(self._onnx.numpy_helper.from_array(numbers, tensor))

    def scale(self, layer: int, factor: float | np.ndarray) -> None:
        """See ``Edited``."""
        for place in (1, 2):
            if rounding := self._rounded(self.layers[layer], place):
                self.put(rounding.inputs[1], (self.get(rounding.inputs[1]) * factor).astype(np.float32))

    def shift_zero_point(self, layer: int, steps: int) -> None:
        """See ``Edited``; only what reads the input rounded is changed, so that it is rounded as before."""
        reading = self._graph.makers[self.layers[layer].inputs[0]]
        zero = self.get(reading.inputs[2])
        limits = np.iinfo(zero.dtype)
        shifted = np.clip(zero.astype(np.int64) + steps, limits.min, limits.max).astype(zero.dtype)
        self._replace(reading, 2, f"{reading.inputs[2]}_planted_{layer}", shifted)

    def lower(self, label: int, amount: float) -> None:
        """See ``Edited``; the bias of the last layer is then no longer rounded."""
        last = self.layers[-1]
        reader, place = (last, 2) if len(last.inputs) > 2 else self._added_to(last.outputs[0])
        rounding = self._rounded(reader, place)
        if rounding is None:
            bias = self.get(reader.inputs[place])
        else:
            stored, scale, zero = map(self.get, rounding.inputs)
            bias = ((stored.astype(np.int64) - zero) * scale).astype(np.float32)
        bias[label] -= np.float32(amount)
        self._replace(reader, place, f"{reader.table.name}_planted", bias)

    def scales(self, layer: int) -> np.ndarray:
        """Scales of the weights of a layer, float32 (channels,)."""
        rounding = self._rounded(self.layers[layer], 1)
        assert rounding is not None
        return self.get(rounding.inputs[1])

    def turn_scales(self, layer: int, axis: int) -> None:
        """Let scales of the weights of a layer count along another axis, which is as long."""
        rounding = self._rounded(self.layers[layer], 1)
        assert rounding is not None
        [stated] = [one for one in rounding.table.attribute if one.name == "axis"]
        stated.i = axis

    def reread(self, layer: int, factor: float) -> None:
        """Let a layer read its input with a scale that many times as large."""
        reading = self._graph.makers[self.layers[layer].inputs[0]]
        name = f"{reading.inputs[1]}_planted_{layer}"
        self._replace(reading, 1, name, (self.get(reading.inputs[1]) * np.float32(factor)).astype(np.float32))

    def content(self) -> bytes:
        """See ``Edited``."""
        return bytes(self._graph.model.SerializeToString())

    def _added_to(self, name: str) -> tuple[Node, int]:
        """The addition of a constant that follows a tensor, and the constant's place among its inputs."""
        [reader] = self._graph.readers[name]
        return (reader, 1 - reader.inputs.index(name)) if reader.kind == "Add" else self._added_to(reader.outputs[0])

    def _rounded(self, one: Node, place: int) -> Node | None:
        """The operation that turns stored integers into an input of a node; ``None`` where it is none."""
        maker = self._graph.makers.get(one.inputs[place]) if place < len(one.inputs) else None
        return maker if maker is not None and maker.inputs and maker.inputs[0] in self._graph.tensors else None

    def _replace(self, one: Node, place: int, name: str, numbers: np.ndarray) -> None:
        """Give an operation other stored numbers, under a name of their own."""
        self._graph.model.graph.initializer.append(self._onnx.numpy_helper.from_array(numbers, name))
        one.table.input[place] = name
