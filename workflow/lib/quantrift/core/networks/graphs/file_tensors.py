"""Inputs and outputs of a file as tensors, and outputs as they are.

Inputs that no search changes are carried along with the one that is. A network of several inputs gets rows
(``quantrift.core.base.carried_rows``) and takes them apart.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError, refuse

CARRIED = tuple(np.dtype(one) for one in ("f4", "f2", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "?"))
"""Types of carried inputs; their values go in float32."""
TYPES = (np.float32, np.float16, np.float64, np.int8, np.uint8, np.int16, np.int32, np.int64, np.bool_)
"""Types of outputs that are taken as they are."""


@dataclass(frozen=True)
class Tensor:
    """The input or output of a file, of which value = scale * (number - zero) where it holds integers."""

    index: int
    """Its number in the interpreter."""
    shape: tuple[int, ...]
    """Of one input or output; () for a single number without an axis of its own."""
    dtype: Any
    """Of numpy; floats of other widths are taken and given as float32."""
    scale: np.float32
    """1 where the file states none, such as for images taken as bytes."""
    zero: np.float32
    name: str = ""
    """As the file has it."""
    whole: bool = False
    """Whether it takes or gives whole numbers as they are, such as numbers of categories."""

    @staticmethod
    def of(details: Mapping[str, Any]) -> "Tensor":
        """The tensor of which an interpreter gave the details; without a batch in front there is no shape either."""
        scale, zero = details["quantization"]
        shape = tuple(int(side) for side in details["shape"][1:])
        whole = np.dtype(details["dtype"]).kind in "iub" and not scale
        ends = np.float32(scale or 1), np.float32(zero)
        return Tensor(int(details["index"]), shape, details["dtype"], *ends, str(details["name"]), whole)

    @property
    def size(self) -> int:
        """Values for one input."""
        return prod(self.shape)

    def encoded(self, values: np.ndarray) -> np.ndarray:
        """Numbers of the file for values, float32 (n, *shape); integers are rounded to even and clipped.

        Raises:
            QuantriftError: float16 cannot hold one of them.
        """
        if np.dtype(self.dtype).kind in "iu":
            limits = np.iinfo(self.dtype)
            # In float64, the ends of 32 bits are exact.
            numbers = (np.rint(values / self.scale) + self.zero).astype(np.float64)
            return np.clip(numbers, limits.min, limits.max).astype(self.dtype)
        with np.errstate(over="ignore"):
            found = np.ascontiguousarray(values).astype(self.dtype, copy=False)
        if found.dtype == np.float16 and not np.array_equal(np.isfinite(found), np.isfinite(values)):
            raise QuantriftError(
                f"inputs reach {np.abs(values).max():g}, beyond the {np.finfo(np.float16).max:g} that a float16 input "
                "holds; scale them as the networks want them, or export the network with an input in float32"
            )
        return found


def ordered(
    path: Path, inputs: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> tuple[Mapping[str, Any], list[Tensor]]:
    """Details of the input that is changed, and the carried ones, in the order ``names`` of the file.

    Args:
        path: for messages.
        inputs: details of all inputs, as an interpreter gives them.
        names: of all, the one that is changed first.

    Raises:
        QuantriftError: an input has another name, no axis of inputs, an open side, or holds no numbers.
    """
    known = {str(one["name"]): one for one in inputs}
    refuse(
        (
            sorted(known) != sorted(names),
            f"{path}: has inputs {', '.join(known)}, not {', '.join(names)}; make the assessment again",
        ),
    )
    first, *others = (known[name] for name in names)
    return first, [_carried(path, one, first) for one in others]


def _carried(path: Path, details: Mapping[str, Any], first: Mapping[str, Any]) -> Tensor:
    found, sides = Tensor.of(details), tuple(int(side) for side in details["shape_signature"])
    refuse(
        (
            not sides or min(sides[1:], default=1) < 1 or sides[0] != int(first["shape_signature"][0]),
            f"{path}: input '{found.name}' has shape {sides}, expected as many rows as '{first['name']}' has and "
            "other sides of fixed size; export it so, or as a constant",
        ),
        (
            np.dtype(found.dtype) not in CARRIED,
            f"{path}: input '{found.name}' takes {np.dtype(found.dtype)}, which are no numbers; export it without",
        ),
    )
    return found


@dataclass(frozen=True)
class OutputValues:
    """All outputs of a file; those for one input stand side by side in one row."""

    each: tuple[Tensor, ...]

    @property
    def width(self) -> int:
        """Numbers for each input, over all outputs."""
        return sum(one.size for one in self.each)

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
        real = [
            (values.astype(np.float32) - one.zero) * one.scale
            if values.dtype.kind in "iu"
            else values.astype(np.float32)
            for one, values in [(one, tensor(one.index).reshape(rows, one.size)) for one in self.each]
        ]
        return np.ascontiguousarray(np.concatenate(real, axis=1))


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
    for one in outputs:
        sides = tuple(int(side) for side in one["shape_signature"])
        refuse(
            (
                not sides or min(sides[1:], default=1) < 1,
                f"{path}: output '{one['name']}' has shape {sides}, of which another side than the first is open; "
                "export it with outputs of fixed size, filled up, one row for each input",
            ),
            (one["dtype"] not in TYPES, f"{path}: output '{one['name']}' holds no numbers; export it without"),
        )
    return OutputValues(tuple(map(Tensor.of, outputs)))


def matched(path: Path, original: OutputValues, compressed: OutputValues) -> tuple[tuple[int, ...], str]:
    """Place, among the outputs of a compressed network, of each output of the original; and how they were matched.

    Outputs of one name are the same. Where the names differ, those of one place are, if all have the same shapes.

    Raises:
        QuantriftError: they do not fit each other; ``path`` of the compressed network is for the message.
    """
    by_name, count = set(original.names) == set(compressed.names), len(original.each)
    refuse(
        (
            not by_name and len(compressed.each) != count,
            f"{path}: has {len(compressed.each)} outputs, the original {count}; name a compressed version of the same "
            "network",
        )
    )
    order = tuple(map(compressed.names.index, original.names)) if by_name else tuple(range(count))
    refuse(
        *(
            (
                one.shape != other.shape,
                f"{path}: output '{other.name}' has shape {other.shape} for each input, '{one.name}' of the original "
                f"{one.shape}; name a compressed version of the same network",
            )
            for one, other in zip(original.each, (compressed.each[place] for place in order), strict=True)
        )
    )
    return order, "by name" if by_name else "by their order, as their names differ"
