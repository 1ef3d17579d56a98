"""How images go into a .tflite file and logits come out of it, whatever types and shapes it takes and gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.config.errors import QuantriftError
from quantrift.models.runtimes.graph import SIGMOID, SOFTMAX

TYPES = (np.float32, np.int8, np.uint8)
SMALLEST = np.finfo(np.float32).tiny
"""Stands for a probability of 0, whose logarithm there is not."""


@dataclass(frozen=True)
class Tensor:
    """The input or output of a file, of which value = scale * (number - zero) where it holds integers."""

    index: int
    """Its number in the interpreter."""
    shape: tuple[int, ...]
    """Of one input or output."""
    dtype: type
    """float32, int8 or uint8."""
    scale: np.float32
    """1 where the file states none, as for images taken as bytes."""
    zero: np.float32


@dataclass(frozen=True)
class Signature:
    """From images to the input of a file, and from its output to logits."""

    input: Tensor
    output: Tensor
    rows: int
    """Inputs that the file was built to take at once; 0 if any number."""
    image: tuple[int, int, int]
    """Height, width and channels of one image."""
    classes: int
    probabilities: bool
    """Whether the output has been through a softmax."""

    def encoded(self, images: np.ndarray) -> np.ndarray:
        """The file's input for ``images``, float32 (n, H, W, C); integers are rounded to even and clipped."""
        values = images.reshape(len(images), *self.input.shape)
        if self.input.dtype is np.float32:
            return values
        limits = np.iinfo(self.input.dtype)
        numbers = np.rint(values / self.input.scale) + self.input.zero
        return np.clip(numbers, limits.min, limits.max).astype(self.input.dtype)

    def decoded(self, output: np.ndarray, rows: int) -> np.ndarray:
        """Logits, float32 (rows, K), of the file's ``output``; ``ValueError`` if that holds another number of rows.

        Probabilities p become log(p / largest p of the row), which are the logits up to a constant per row. The
        division keeps labels: logarithms alone round two classes that are almost equally probable to the same number.
        """
        values = output.reshape(rows, self.classes)
        if self.output.dtype is not np.float32:
            values = (values.astype(np.float32) - self.output.zero) * self.output.scale
        if self.probabilities:
            p = np.maximum(values.astype(np.float64), SMALLEST)
            values = np.log(p / p.max(axis=1, keepdims=True)).astype(np.float32)
        return values


def signature(
    path: Path, inputs: Sequence[Mapping[str, Any]], outputs: Sequence[Mapping[str, Any]], ending: int | None
) -> Signature:
    """The signature of a file, of which an interpreter gave the details.

    Args:
        path: for messages.
        inputs: details of the inputs.
        outputs: details of the outputs.
        ending: the operation that decides the output (``graph.final_operator``).

    Raises:
        QuantriftError: if it is not a network from one image to logits or a softmax.
    """
    if len(inputs) != 1 or len(outputs) != 1:
        raise QuantriftError(
            f"{path}: has {len(inputs)} inputs and {len(outputs)} outputs, expected one image and its logits; "
            "export the network with one input and one output"
        )
    given, result = _tensor(path, inputs[0]), _tensor(path, outputs[0])
    image = _image(given.shape)
    # A side of -1 in the second shape is open: the file takes images of any size.
    if image is None or min(inputs[0]["shape_signature"][1:]) < 1:
        raise QuantriftError(
            f"{path}: expected one image (n, H, W, C) as input, got {given.shape}; "
            "export the network for images of one size, channels last"
        )
    if not result.shape or prod(result.shape) != result.shape[-1]:
        raise QuantriftError(
            f"{path}: expected logits (n, K) as output, got {result.shape} for each input; export a classifier"
        )
    if ending == SIGMOID:
        raise QuantriftError(
            f"{path}: ends in a sigmoid, whose outputs are no probabilities of classes; export it without"
        )
    rows = int(inputs[0]["shape_signature"][0])
    return Signature(given, result, max(rows, 0), image, result.shape[-1], ending == SOFTMAX)


def described(shape: Sequence[int], dtype: Any) -> dict[str, Any]:
    """The details of an input or output, as LiteRT gives them, of a runtime that has no integers that stand for others.

    Args:
        shape: with -1 for sides that are open.
        dtype: of its values.
    """
    sides = np.array(shape, np.int64)
    return {
        "index": 0,
        "shape": np.abs(sides),
        "shape_signature": sides,
        "dtype": dtype,
        "quantization": (0.0, 0),
    }


def _tensor(path: Path, details: Mapping[str, Any]) -> Tensor:
    if details["dtype"] not in TYPES:
        raise QuantriftError(
            f"{path}: takes or gives {np.dtype(details['dtype']).name}; export it with float32, int8 or uint8"
        )
    scale, zero = details["quantization"]
    # Without a batch in front there is no shape of one row either.
    shape = tuple(int(side) for side in details["shape"][1:])
    return Tensor(details["index"], shape, details["dtype"], np.float32(scale or 1), np.float32(zero))


def _image(shape: tuple[int, ...]) -> tuple[int, int, int] | None:
    """The image that fills an input: (H, W, C), (H, W) without channels, or (H, W, C, 1) for a 3-D network."""
    match shape:
        case (height, width):
            return height, width, 1
        case (height, width, channels) | (height, width, channels, 1):
            return height, width, channels
    return None
