"""Edits of .onnx files whose rounding is written out before and behind each operation (QDQ)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from quantrift.core.networks.libraries import library
from quantrift.study.league.planted.stored_weights import rounded

OUTPUT_AXIS = {"Conv": 0, "MatMul": -1, "Gemm": -1}
"""Operation with weights -> axis of its outputs; ``Gemm`` may have them turned."""


class EditedONNX:
    """A file that ``onnxruntime.quantization.quantize_static`` made."""

    def __init__(self, content: bytes) -> None:
        self._onnx = library("onnx", "onnxruntime")
        self._model = self._onnx.load_from_string(content)
        graph = self._model.graph
        self._makers = {name: node for node in graph.node for name in node.output}
        self._stored = {one.name: one for one in graph.initializer}
        self._layers = [node for node in graph.node if node.op_type in OUTPUT_AXIS and self._rounded(node, 1)]
        self.outputs: Sequence[int] = [len(self._by_output(node)) for node in self._layers]

    def scale(self, layer: int, factor: float) -> None:
        """See ``Edited``; the bias of a convolution grows along."""
        node = self._layers[layer]
        for place in range(1, len(node.input)):
            if rounding := self._rounded(node, place):
                self._put(rounding.input[1], (self._get(rounding.input[1]) * np.float32(factor)).astype(np.float32))

    def shift_zero_point(self, layer: int, steps: int) -> None:
        """See ``Edited``; only what reads the input rounded is changed, so that it is rounded as before."""
        reading = self._makers[self._layers[layer].input[0]]
        zero = self._get(reading.input[2])
        limits = np.iinfo(zero.dtype)
        shifted = np.clip(zero.astype(np.int64) + steps, limits.min, limits.max).astype(zero.dtype)
        name = f"{reading.input[2]}_planted_{layer}"
        self._add(name, shifted)
        reading.input[2] = name

    def round(self, layer: int, lost: int) -> None:
        """See ``Edited``."""
        name = self._rounded(self._layers[layer], 1).input[0]
        self._put(name, rounded(self._get(name).astype(np.int64), lost).astype(np.int8))

    def silence(self, layer: int, channels: np.ndarray) -> None:
        """See ``Edited``; a bias that is added by another operation stays."""
        node = self._layers[layer]
        kept = self._by_output(node)
        kept[channels] = 0
        name = self._rounded(node, 1).input[0]
        self._put(name, np.ascontiguousarray(np.moveaxis(kept, 0, self._axis(node))))
        if len(node.input) > 2 and (rounding := self._rounded(node, 2)):
            bias = self._get(rounding.input[0])
            bias[channels] = 0
            self._put(rounding.input[0], bias)

    def lower(self, label: int, amount: float) -> None:
        """See ``Edited``; the bias of the last layer is then no longer rounded."""
        node = self._layers[-1]
        reader, place = (node, 2) if len(node.input) > 2 else self._added_to(node.output[0])
        rounding = self._rounded(reader, place)
        if rounding is None:
            bias = self._get(reader.input[place])
        else:
            stored, scale, zero = (self._get(name) for name in rounding.input)
            bias = ((stored.astype(np.int64) - zero) * scale).astype(np.float32)
        bias[label] -= np.float32(amount)
        name = f"{reader.name}_planted"
        self._add(name, bias)
        reader.input[place] = name

    def content(self) -> bytes:
        """See ``Edited``."""
        found: bytes = self._model.SerializeToString()
        return found

    def _added_to(self, name: str) -> tuple[Any, int]:
        """The addition of a constant that follows a tensor, and the constant's place among its inputs."""
        while True:
            [reader] = [node for node in self._model.graph.node if name in node.input]
            if reader.op_type == "Add":
                return reader, 1 - list(reader.input).index(name)
            name = reader.output[0]

    def _rounded(self, node: Any, place: int) -> Any:
        """The operation that turns stored integers into an input of a node; None where it is none."""
        maker = self._makers.get(node.input[place])
        return maker if maker is not None and maker.input[0] in self._stored else None

    def _by_output(self, node: Any) -> np.ndarray:
        """Stored weights with the outputs as their first axis, a copy."""
        stored = self._get(self._rounded(node, 1).input[0])
        return np.moveaxis(stored, self._axis(node), 0).copy()

    def _axis(self, node: Any) -> int:
        turned = any(one.name == "transB" and one.i for one in node.attribute)
        return 0 if turned else OUTPUT_AXIS[node.op_type]

    def _get(self, name: str) -> np.ndarray:
        """Values of a stored tensor, a copy."""
        values: np.ndarray = self._onnx.numpy_helper.to_array(self._stored[name]).copy()
        return values

    def _put(self, name: str, values: np.ndarray) -> None:
        self._stored[name].CopyFrom(self._onnx.numpy_helper.from_array(values, name))

    def _add(self, name: str, values: np.ndarray) -> None:
        self._model.graph.initializer.append(self._onnx.numpy_helper.from_array(values, name))
