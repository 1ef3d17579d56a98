"""Edits of quantized files in place: the same faults in .tflite files and in .onnx files with rounding written out."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.study.league.planted.tflite_objects import packed, store, unpacked, values, weighted

LARGEST = 127
"""Of weights, which are symmetric."""


class Edited(Protocol):
    """A quantized file to be edited; layers with weights are numbered in the order of computation."""

    outputs: Sequence[int]
    """Output channels of each layer with weights."""

    def scale(self, layer: int, factor: float) -> None:
        """Let the weights of a layer stand for ``factor`` times what they should."""

    def shift_zero_point(self, layer: int, steps: int) -> None:
        """Let a layer take the zero point of its input for ``steps`` more."""

    def round(self, layer: int, lost: int) -> None:
        """Round the weights of a layer so that the ``lost`` lowest of their bits say nothing."""

    def silence(self, layer: int, channels: np.ndarray) -> None:
        """Set the weights and the bias of output channels (k,) of a layer to 0."""

    def lower(self, label: int, amount: float) -> None:
        """Take ``amount`` off the logit of a class."""

    def content(self) -> bytes:
        """The file."""


def rounded(weights: np.ndarray, lost: int) -> np.ndarray:
    """8-bit weights, int64, on a grid 2^lost as coarse, within their range."""
    step = 2**lost
    most = LARGEST // step
    coarse: np.ndarray = np.clip(np.rint(weights / step), -most, most).astype(np.int64) * step
    return coarse


class EditedTFLite:
    """A .tflite file in 8 bits throughout."""

    def __init__(self, content: bytes) -> None:
        self._model = unpacked(content)
        self._layers = weighted(self._model)
        self.outputs: Sequence[int] = [int(bias.shape[0]) for _, bias in self._layers]

    def scale(self, layer: int, factor: float) -> None:
        """See :class:`Edited`; the bias, whose scale is a product with that of the weights, grows along."""
        for tensor in self._layers[layer]:
            tensor.quantization.scale = np.asarray(tensor.quantization.scale, np.float32) * np.float32(factor)

    def shift_zero_point(self, layer: int, steps: int) -> None:
        """See :class:`Edited`; compilers fold the product of zero point and weights into the bias."""
        _, bias = self._layers[layer]
        sums = self._weights(layer).sum(axis=1)
        store(self._model, bias, self._whole(values(self._model, bias).astype(np.int64) - steps * sums))

    def round(self, layer: int, lost: int) -> None:
        """See :class:`Edited`."""
        tensor, _ = self._layers[layer]
        store(self._model, tensor, rounded(values(self._model, tensor).astype(np.int64), lost).astype(np.int8))

    def silence(self, layer: int, channels: np.ndarray) -> None:
        """See :class:`Edited`."""
        tensor, bias = self._layers[layer]
        kept = np.moveaxis(values(self._model, tensor), self._axis(tensor), 0)
        kept[channels] = 0
        store(self._model, tensor, np.ascontiguousarray(np.moveaxis(kept, 0, self._axis(tensor))))
        of_bias = values(self._model, bias)
        of_bias[channels] = 0
        store(self._model, bias, of_bias)

    def lower(self, label: int, amount: float) -> None:
        """See :class:`Edited`."""
        _, bias = self._layers[-1]
        scales = np.broadcast_to(np.asarray(bias.quantization.scale, np.float64), (self.outputs[-1],))
        numbers = values(self._model, bias).astype(np.int64)
        numbers[label] -= round(amount / scales[label])
        store(self._model, bias, self._whole(numbers))

    def content(self) -> bytes:
        """See :class:`Edited`."""
        return packed(self._model)

    def _weights(self, layer: int) -> np.ndarray:
        """int64 (outputs, weights of each)."""
        tensor, _ = self._layers[layer]
        whole = np.moveaxis(values(self._model, tensor).astype(np.int64), self._axis(tensor), 0)
        return whole.reshape(len(whole), -1)

    @staticmethod
    def _axis(tensor: "schema.TensorT") -> int:
        # The last axis of depthwise weights counts outputs, as the first of all others does.
        return int(tensor.quantization.quantizedDimension)

    @staticmethod
    def _whole(numbers: np.ndarray) -> np.ndarray:
        most = 2**30
        return np.clip(numbers, -most, most).astype(np.int32)
