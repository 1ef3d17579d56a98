"""Contents of a network's file in one form, whatever the format: numbers, the grids that they lie on, operations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from quantrift.core.base.grouped import grouped

ROUNDING = {"DEQUANTIZE", "QUANTIZE", "DequantizeLinear", "QuantizeLinear"}
"""Operations that give what they read in another type or on another grid."""

CUTS = {"Clip", "Relu"}
"""Operations of .onnx files that the limits of a grid stand for."""
GRIDS = {"INT8", "UINT8", "INT16", "UINT16"}
"""Types of what lies on a grid."""
EIGHT = {"INT8", "UINT8"}


@dataclass(eq=False)
class Held:
    """A tensor of a file."""

    name: str
    type: str
    """Of its numbers, like ``INT8`` and ``FLOAT32``."""
    shape: tuple[int, ...] | None
    """1 for sides that are open; ``None`` if unknown."""
    numbers: np.ndarray | None = None
    """Stored numbers, in that shape; ``None`` where they are computed."""
    scales: np.ndarray = field(default_factory=lambda: np.empty(0))
    """Real numbers of one step, float64: one, or one for each place of ``axis``; none where no grid is known."""
    zeros: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    """Integers that stand for 0, int64, as many as ``scales`` or one for all."""
    axis: int = 0

    @property
    def real(self) -> np.ndarray | None:
        """The real numbers that are stored, float64 where these are on a grid; ``None`` for what is computed."""
        if self.numbers is None or not len(self.scales):
            return self.numbers
        zeros, scales = self.spread(self.numbers.ndim)
        return np.asarray((self.numbers.astype(np.float64) - zeros) * scales)

    def spread(self, axes: int) -> tuple[np.ndarray, np.ndarray]:
        """Zero points and scales for a tensor of so many axes."""
        sides = [1] * axes
        if len(self.scales) > 1:
            sides[self.axis] = len(self.scales)
        zeros, scales = (np.broadcast_to(one, len(self.scales)).reshape(sides) for one in (self.zeros, self.scales))
        return zeros, scales

    @property
    def ends(self) -> tuple[float, float] | None:
        """Least and greatest real number of its grid; ``None`` without one usable grid for all of it."""
        if len(self.scales) != 1 or self.type not in GRIDS or not 0 < self.scales[0] < np.inf:
            return None
        limits, zero = np.iinfo(self.type.lower()), int(self.zeros[0])
        return float((limits.min - zero) * self.scales[0]), float((limits.max - zero) * self.scales[0])


@dataclass(eq=False)
class Step:
    """An operation of a file."""

    kind: str
    """Its name in the format."""
    inputs: Sequence[Held]
    """Its operands: data first, then weights and bias; scales and zero points are no part of them."""
    output: Held
    macs: int = 0
    """Multiply-accumulates for one input."""
    int8: bool = False
    """Whether it computes with 8-bit integers."""
    channels: int | None = None
    """Axis of its stored weights that counts outputs; ``None`` of operations without."""
    depthwise: bool = False
    activated: bool = False
    """Whether an activation is a part of it."""

    @property
    def bias(self) -> Held | None:
        """The tensor that is added to the products; ``None`` without one."""
        return self.inputs[2] if self.channels is not None and len(self.inputs) > 2 else None

    @property
    def used(self) -> np.ndarray:
        """Largest distance from 0 of each channel of stored 8-bit weights, int64 in steps; (1,) of 0 without any."""
        weights = self.inputs[1] if self.channels is not None else None
        if weights is None or weights.numbers is None or not len(weights.scales) or weights.type not in EIGHT:
            return np.zeros(1, np.int64)
        zeros, _ = weights.spread(weights.numbers.ndim)
        return np.asarray(np.abs(self.by_channel(weights.numbers.astype(np.int64) - zeros)).max(axis=1))

    def by_channel(self, weights: np.ndarray) -> np.ndarray:
        """Weights in rows: (output channels, all others)."""
        first = np.moveaxis(weights, self.channels or 0, 0)
        return first.reshape(len(first), -1)


@dataclass(frozen=True)
class Contents:
    """All that is audited of a file."""

    steps: Sequence[Step]
    """In the order of computation."""
    constants: Sequence[Held]
    misread: Sequence[tuple[Held, Held]] = ()
    """Tensors on the grid on which they are written, and on another one on which they are read."""

    @property
    def floats(self) -> list[tuple[Held, np.ndarray]]:
        """Constants in float with their numbers; single numbers, like the limits of a Clip, are no weights."""
        stored = ((one, one.numbers) for one in self.constants if one.numbers is not None)
        return [(one, numbers) for one, numbers in stored if numbers.dtype.kind == "f" and numbers.size > 1]

    @cached_property
    def makers(self) -> dict[int, Step]:
        """``id`` of a tensor -> the operation that gives it."""
        return {id(step.output): step for step in self.steps}

    @cached_property
    def readers(self) -> dict[int, list[Step]]:
        """``id`` of a tensor -> the operations that read it."""
        return grouped((key, step) for step in self.steps for key in {id(one) for one in step.inputs})

    def back(self, tensor: Held, through: set[str]) -> Iterator[tuple[Held, Step | None]]:
        """A tensor and those that it is made of, first operands alone, as far as operations of some kinds lead.

        Each comes with the operation that gives it, the last one with an operation of another kind, or ``None``.
        """
        # No path is longer than the file, unless the file is wrong.
        for _ in range(len(self.steps) + 1):
            maker = self.makers.get(id(tensor))
            yield tensor, maker
            if maker is None or maker.kind not in through or not maker.inputs:
                return
            tensor = maker.inputs[0]

    def only_source(self, step: Step) -> Step | None:
        """The operation whose result an operation with a constant for each channel reads, if nothing else reads it."""
        data = [one for one in step.inputs if one.numbers is None]
        path = [*self.back(data[0], ROUNDING)] if len(data) == 1 else []
        sizes = {one.numbers.size for one in step.inputs if one.numbers is not None}
        alone = path and 1 not in sizes and all(len(self.readers[id(one)]) == 1 for one, _ in path)
        return path[-1][1] if alone else None

    def rounded(self, tensor: Held) -> Held:
        """The integers that real numbers become, if nothing else is done with them but to cut them off; or itself."""
        after = self.readers.get(id(tensor), [])
        kinds = {one.kind for one in after}
        if tensor.type.startswith("FLOAT") and (kinds == {"QuantizeLinear"} or (len(after) == 1 and kinds <= CUTS)):
            found = self.rounded(after[0].output)
            return found if len(found.scales) else tensor
        return tensor
