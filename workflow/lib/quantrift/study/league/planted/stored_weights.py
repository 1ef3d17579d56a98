"""Edits of quantized files in place: the same faults in .tflite files and in .onnx files with rounding written out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from quantrift.core.networks.tflite_graph import DTYPES, OPERATIONS, TYPES, packed, with_all_buffers

LARGEST = 127
"""Of weights, which are symmetric."""
MOST = 2**30
"""Of biases."""
WEIGHTED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")


class Edited(ABC):
    """A quantized file to be edited; layers with weights are numbered in the order of computation."""

    layers: Sequence[Any]

    @property
    def outputs(self) -> list[int]:
        """Output channels of each layer with weights."""
        weights = [self.stored(layer)[0] for layer in range(len(self.layers))]
        return [self.get(tensor).shape[axis] for tensor, axis in weights]

    @abstractmethod
    def stored(self, layer: int) -> list[tuple[Any, int]]:
        """Integers of a layer: its weights and, if it is stored so, its bias, each with the axis of the outputs."""

    @abstractmethod
    def get(self, tensor: Any) -> np.ndarray:
        """The numbers of a stored tensor, a copy in its shape."""

    @abstractmethod
    def put(self, tensor: Any, numbers: np.ndarray) -> None:
        """Write numbers over those of a stored tensor."""

    @abstractmethod
    def scale(self, layer: int, factor: float) -> None:
        """Let the weights of a layer stand for ``factor`` times what they should; a bias in integers grows along."""

    @abstractmethod
    def shift_zero_point(self, layer: int, steps: int) -> None:
        """Let a layer take the zero point of its input for ``steps`` more."""

    @abstractmethod
    def lower(self, label: int, amount: float) -> None:
        """Take ``amount`` off the logit of a class."""

    @abstractmethod
    def content(self) -> bytes:
        """The file."""

    def round(self, layer: int, lost: int) -> None:
        """Round the weights of a layer so that the ``lost`` lowest of their bits say nothing."""
        tensor, _ = self.stored(layer)[0]
        self.put(tensor, rounded(self.get(tensor).astype(np.int64), lost).astype(np.int8))

    def silence(self, layer: int, channels: np.ndarray) -> None:
        """Set the weights and the bias of output channels (k,) of a layer to 0; an addition behind it stays."""
        for tensor, axis in self.stored(layer):
            numbers = self.get(tensor)
            np.moveaxis(numbers, axis, 0)[channels] = 0
            self.put(tensor, numbers)


def rounded(weights: np.ndarray, lost: int) -> np.ndarray:
    """8-bit weights, int64, on a grid 2^lost as coarse, within their range."""
    step = 2**lost
    most = LARGEST // step
    return np.clip(np.rint(weights / step), -most, most).astype(np.int64) * step


class EditedTFLite(Edited):
    """A .tflite file in 8 bits throughout."""

    def __init__(self, content: bytes) -> None:
        """Reads a file."""
        self.model = with_all_buffers(content)
        kinds = [OPERATIONS[max(code.builtinCode, code.deprecatedBuiltinCode)] for code in self.model.operatorCodes]
        graph = self.model.subgraphs[0]
        self.layers = [
            tuple(graph.tensors[index] for index in one.inputs[1:3])
            for one in graph.operators
            if kinds[one.opcodeIndex] in WEIGHTED
        ]
        """Weights and bias, both ``schema.TensorT``, of each convolution and dense layer."""

    def stored(self, layer: int) -> list[tuple[Any, int]]:
        """See ``Edited``."""
        weights, bias = self.layers[layer]
        # The last axis of depthwise weights counts outputs, as the first of all others does.
        return [(weights, int(weights.quantization.quantizedDimension)), (bias, 0)]

    def get(self, tensor: Any) -> np.ndarray:
        """See ``Edited``."""
        stored = np.asarray(self.model.buffers[tensor.buffer].data, np.uint8)
        return np.frombuffer(stored.tobytes(), DTYPES[TYPES[tensor.type]]).reshape(tensor.shape).copy()

    def put(self, tensor: Any, numbers: np.ndarray) -> None:
        """See ``Edited``."""
        self.model.buffers[tensor.buffer].data = np.frombuffer(numbers.tobytes(), np.uint8)

    def scale(self, layer: int, factor: float) -> None:
        """See ``Edited``."""
        for tensor in self.layers[layer]:
            tensor.quantization.scale = np.asarray(tensor.quantization.scale, np.float32) * np.float32(factor)

    def shift_zero_point(self, layer: int, steps: int) -> None:
        """See ``Edited``; compilers fold the product of zero point and weights into the bias."""
        (weights, axis), (bias, _) = self.stored(layer)
        by_output = np.moveaxis(self.get(weights).astype(np.int64), axis, 0)
        self._put_bias(bias, self.get(bias) - steps * by_output.reshape(len(by_output), -1).sum(axis=1))

    def lower(self, label: int, amount: float) -> None:
        """See ``Edited``."""
        _, bias = self.layers[-1]
        numbers = self.get(bias).astype(np.int64)
        scales = np.broadcast_to(np.asarray(bias.quantization.scale, np.float64), numbers.shape)
        numbers[label] -= round(amount / scales[label])
        self._put_bias(bias, numbers)

    def content(self) -> bytes:
        """See ``Edited``."""
        return packed(self.model)

    def _put_bias(self, bias: Any, numbers: np.ndarray) -> None:
        self.put(bias, np.clip(numbers, -MOST, MOST).astype(np.int32))
