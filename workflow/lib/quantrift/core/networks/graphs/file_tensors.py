"""Inputs and outputs of a file as tensors; inputs that no search changes are carried along with the one that is.

A network of several inputs gets rows (``quantrift.core.base.carried_rows``) and takes them apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError

CARRIED = tuple(np.dtype(one) for one in ("f4", "f2", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "?"))
"""Types of carried inputs; their values go in float32."""


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
    """Of a carried input, as the file has it."""
    whole: bool = False
    """Whether it is carried and takes whole numbers as they are, such as numbers of categories."""

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
    if sorted(known) != sorted(names):
        raise QuantriftError(
            f"{path}: has inputs {', '.join(known)}, not {', '.join(names)}; make the assessment again"
        )
    first, *others = (known[name] for name in names)
    return first, [_carried(path, one, first) for one in others]


def _carried(path: Path, details: Mapping[str, Any], first: Mapping[str, Any]) -> Tensor:
    name, signed = str(details["name"]), [int(side) for side in details["shape_signature"]]
    if not signed or min(signed[1:], default=1) < 1 or signed[0] != int(first["shape_signature"][0]):
        raise QuantriftError(
            f"{path}: input '{name}' has shape {tuple(signed)}, expected as many rows as '{first['name']}' has and "
            "other sides of fixed size; export it so, or as a constant"
        )
    dtype = np.dtype(details["dtype"])
    if dtype not in CARRIED:
        raise QuantriftError(f"{path}: input '{name}' takes {dtype}, which are no numbers; export it without")
    scale, zero = details["quantization"]
    whole = dtype.kind in "iub" and not scale
    ends = np.float32(scale or 1), np.float32(zero)
    return Tensor(int(details["index"]), tuple(signed[1:]), dtype, *ends, name, whole)
