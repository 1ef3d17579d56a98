"""Outputs of a file as they are: their names and shapes, and the numbers that their integers stand for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError

TYPES = (np.float32, np.float16, np.float64, np.int8, np.uint8, np.int16, np.int32, np.int64, np.bool_)


@dataclass(frozen=True)
class OutputValue:
    """One output of a file; value = scale * (number - zero)."""

    index: int
    """Its number in the interpreter, or its place among the results of a session."""
    name: str
    shape: tuple[int, ...]
    """For one input; () for a single number without an axis of its own."""
    scale: np.float32
    """1 where the file states none."""
    zero: np.float32

    @property
    def width(self) -> int:
        """Numbers for each input."""
        return prod(self.shape)


@dataclass(frozen=True)
class OutputValues:
    """All outputs of a file; those for one input stand side by side in one row."""

    each: tuple[OutputValue, ...]

    @property
    def width(self) -> int:
        """Numbers for each input, over all outputs."""
        return sum(one.width for one in self.each)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the outputs, each once."""
        return tuple(one.name for one in self.each)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Their shapes for one input."""
        return tuple(one.shape for one in self.each)

    def joined(self, tensor: Callable[[int], np.ndarray], rows: int) -> np.ndarray:
        """Values of all outputs of a run on ``rows`` inputs, float32 (rows, width).

        Raises:
            ValueError: an output holds another number of rows.
        """
        parts = []
        for one in self.each:
            values = tensor(one.index).reshape(rows, one.width)
            if values.dtype.kind in "iu" and (one.scale != 1 or one.zero != 0):
                parts.append((values.astype(np.float32) - one.zero) * one.scale)
            else:
                parts.append(values.astype(np.float32))
        return np.ascontiguousarray(np.concatenate(parts, axis=1))


def split(
    values: np.ndarray, names: Sequence[str], shapes: Sequence[Sequence[int]], order: Sequence[int] | None = None
) -> dict[str, np.ndarray]:
    """Outputs by name, float32 (n, ...), of rows (n, width) in which they stand side by side.

    Args:
        values: the rows.
        names: of the outputs.
        shapes: of each, for one input.
        order: place in the rows of the output of each name; as they are named, by default.
    """
    order = range(len(names)) if order is None else order
    stored = [tuple(shapes[list(order).index(place)]) for place in range(len(order))]
    ends = np.cumsum([0, *map(prod, stored)]).tolist()
    return {
        name: values[:, ends[place] : ends[place + 1]].reshape(len(values), *stored[place])
        for name, place in zip(names, order, strict=True)
    }


def output_values(path: Path, outputs: Sequence[Mapping[str, Any]]) -> OutputValues:
    """Outputs of a file, of which an interpreter gave the details, with the name by which users know each.

    Raises:
        QuantriftError: an output has no axis of inputs, an open side, or holds no numbers.
    """
    return OutputValues(tuple(_each(path, outputs)))


def _each(path: Path, outputs: Sequence[Mapping[str, Any]]) -> Iterator[OutputValue]:
    for one in outputs:
        name, signed = str(one["name"]), [int(side) for side in one["shape_signature"]]
        if not signed or min(signed[1:], default=1) < 1:
            raise QuantriftError(
                f"{path}: output '{name}' has shape {tuple(signed)}, of which another side than the first is open; "
                "export it with outputs of fixed size, filled up, one row for each input"
            )
        if one["dtype"] not in TYPES:
            raise QuantriftError(f"{path}: output '{name}' holds no numbers; export it without")
        scale, zero = one["quantization"]
        yield OutputValue(one["index"], name, tuple(signed[1:]), np.float32(scale or 1), np.float32(zero))


def matched(path: Path, original: OutputValues, compressed: OutputValues) -> tuple[tuple[int, ...], str]:
    """Place, among the outputs of a compressed network, of each output of the original; and how they were matched.

    Outputs of one name are the same. Where the names differ, those of one place are, if all have the same shapes.

    Raises:
        QuantriftError: they do not fit each other; ``path`` of the compressed network is for the message.
    """
    if set(original.names) == set(compressed.names):
        order, how = tuple(compressed.names.index(name) for name in original.names), "by name"
    elif len(original.each) == len(compressed.each):
        order, how = tuple(range(len(original.each))), "by their order, as their names differ"
    else:
        raise QuantriftError(
            f"{path}: has {len(compressed.each)} outputs, the original {len(original.each)}; name a compressed version "
            "of the same network"
        )
    for one, place in zip(original.each, order, strict=True):
        other = compressed.each[place]
        if one.shape != other.shape:
            raise QuantriftError(
                f"{path}: output '{other.name}' has shape {other.shape} for each input, '{one.name}' of the original "
                f"{one.shape}; name a compressed version of the same network"
            )
    return order, how
