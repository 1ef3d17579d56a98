"""Analysis of a network's first operations: the axis of its channels, and the scaling of its inputs.

A graph is followed from its input, through elementwise operations and moves of axes, to the first operation that is
defined on rows, columns and channels, like a convolution. Sizes of axes are not used.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np

Kind = Literal["image", "signal", "sequence", "tokens"]


@dataclass(frozen=True, eq=False)
class Passes:
    """An operation on each value: value * slope + offset where both are known."""

    result: Hashable
    slope: np.ndarray | None = None
    """float64 (1,) or one for each channel."""
    offset: np.ndarray | None = None


@dataclass(frozen=True)
class Transposes:
    """Moves axes; the first, of the batch, included."""

    result: Hashable
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Reshapes:
    """Gives another shape, with the batch; -1 stands for the remaining size, 0 for the previous one."""

    result: Hashable
    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Spatial:
    """An operation that is defined on rows, columns and channels."""

    name: str
    axes: tuple[int, ...]
    """Axes of space, in its input."""
    channels: int
    """Axis of the channels, likewise."""
    slope: np.ndarray | None = None
    """Its scaling of channels, if any: see ``Passes``."""
    offset: np.ndarray | None = None


@dataclass(frozen=True)
class Reads:
    """An operation whose input is no image."""

    name: str
    kind: Literal["sequence", "tokens"]


Step = Passes | Transposes | Reshapes | Spatial | Reads


@dataclass(frozen=True, eq=False)
class Start:
    """Properties of the input that the first operations imply."""

    kind: Kind | None = None
    """``None``: unknown, such as where a network begins with a flattening."""
    channels: int | None = None
    """Axis of the channels in the input, the batch's being 0; ``None`` if unknown, or if it has none."""
    by: str = ""
    """Name of the operation that implies it."""
    slope: np.ndarray | None = None
    """Factor on the values, float64 (1,) or one for each channel; ``None`` if there is none."""
    offset: np.ndarray | None = None
    """Offset that is added then."""


@dataclass(frozen=True, eq=False)
class _Place:
    """A tensor on the path, and the origin of its axes."""

    tensor: Hashable
    axes: tuple[int | None, ...]
    """Axis of the input that each axis is; ``None`` for axes of size 1 whose origin is not known."""
    sizes: tuple[int, ...]
    slope: np.ndarray
    offset: np.ndarray
    linear: bool = True
    scaled: bool = False

    def after(self, step: Passes | Spatial) -> "_Place":
        if not self.linear or step.slope is None or step.offset is None:
            return replace(self, linear=False)
        sizes = {len(one) for one in (self.slope, self.offset, step.slope, step.offset)} - {1}
        if len(sizes) > 1:
            return replace(self, linear=False)
        slope, offset = self.slope * step.slope, self.offset * step.slope + step.offset
        changed = bool((step.slope != 1).any() or (step.offset != 0).any())
        return replace(self, slope=slope, offset=offset, scaled=self.scaled or changed)


def start(
    tensor: Hashable, shape: Sequence[int], steps: Callable[[Hashable, tuple[int, ...]], Iterable[Step]]
) -> Start:
    """Follow a graph from its input.

    Args:
        tensor: the input.
        shape: of the input, that of the batch included; -1 where it is open.
        steps: tensor and its sizes -> operations that take it; those that end the path, like ``MatMul``, are left out.
    """
    one, none = np.ones(1), np.zeros(1)
    waiting = deque([_Place(tensor, tuple(range(len(shape))), tuple(shape), one, none)])
    seen, found, ends = set(), [], []
    while waiting:
        place = waiting.popleft()
        if place.tensor in seen:
            continue
        seen.add(place.tensor)
        following = len(waiting)
        for step in steps(place.tensor, place.sizes):
            match step:
                case Passes():
                    waiting.append(replace(place.after(step), tensor=step.result))
                case Transposes() if sorted(step.axes) == list(range(len(place.axes))):
                    axes = tuple(place.axes[axis] for axis in step.axes)
                    sizes = tuple(place.sizes[axis] for axis in step.axes)
                    waiting.append(replace(place, tensor=step.result, axes=axes, sizes=sizes))
                case Reshapes():
                    if (reshaped := _reshaped(place, step.shape)) is not None:
                        waiting.append(replace(place, tensor=step.result, axes=reshaped[0], sizes=reshaped[1]))
                case Reads():
                    found.append(Start(step.kind, None, step.name))
                case Spatial():
                    found.append(_told(step, place, len(shape)))
                    ends.append(place.after(step) if step.slope is not None else place)
        if len(waiting) == following:
            ends.append(place)
    told = next(iter(found), Start())
    if any((one.kind, one.channels) != (told.kind, told.channels) for one in found):
        told = Start()
    scaled = next((end for end in ends if end.scaled), None)
    return replace(told, slope=scaled.slope, offset=scaled.offset) if scaled else told


def linear(result: Hashable, name: str, other: np.ndarray | None, first: bool) -> Passes:
    """A sum, difference, product or quotient of the tensor that is followed and another one.

    Args:
        result: of the operation.
        name: of it: Add, Sub, Mul or Div.
        other: the other tensor, if it is a constant.
        first: whether the followed tensor is the first operand.
    """
    if other is None or other.size != max(other.shape, default=1):
        return Passes(result)
    value = other.astype(np.float64).reshape(-1)
    one, none = np.ones(1), np.zeros(1)
    match name.upper(), first:
        case "ADD", _:
            return Passes(result, one, value)
        case "SUB", True:
            return Passes(result, one, -value)
        case "SUB", False:
            return Passes(result, -one, value)
        case "MUL", _:
            return Passes(result, value, none)
        case "DIV", True if value.all():
            return Passes(result, 1 / value, none)
    return Passes(result)


def mean(name: str, over: list[int], rank: int) -> Spatial | None:
    """A mean over two of three axes, the batch's aside, is one over space; ``None`` for others."""
    axes = tuple(sorted(axis % rank for axis in over)) if rank else ()
    if rank != 4 or len(axes) != 2 or 0 in axes:
        return None
    return Spatial(name, axes, 6 - sum(axes))


def _reshaped(place: _Place, shape: tuple[int, ...]) -> tuple[tuple[int | None, ...], tuple[int, ...]] | None:
    """Axes and sizes after a reshaping that only adds or drops axes of size 1; ``None`` after any other."""
    if not shape or place.axes[:1] != (0,):
        return None
    known = [(axis, size) for axis, size in zip(place.axes[1:], place.sizes[1:], strict=True) if size != 1]
    sizes = [size or place.sizes[axis] if axis < len(place.sizes) else size for axis, size in enumerate(shape)][1:]
    if sizes.count(-1) == 1:
        others = -prod(sizes)
        sizes = [size if size != -1 else prod(of for _, of in known) // (others or 1) for size in sizes]
    if [size for size in sizes if size != 1] != [size for _, size in known]:
        return None
    origins = iter([axis for axis, _ in known])
    return (0, *(None if size == 1 else next(origins) for size in sizes)), (place.sizes[0], *sizes)


def _bands(space: tuple[int | None, ...], last: bool) -> int | None:
    """Axis of a cube's bands, where rows, columns and bands are convolved alike; ``None`` if it is not known.

    ``last``: whether the operation takes channels last; then it is applied to rows, columns and bands.
    """
    # Rows and columns are neighbours, so that a transposed cube tells more than one that is not transposed.
    turned: dict[tuple[int | None, ...], int] = {(2, 3, 1): 1, (3, 1, 2): 3}
    return 3 if space == (1, 2, 3) and last else turned.get(space)


def _told(step: Spatial, place: _Place, rank: int) -> Start:
    count = len(place.axes)
    if count != len(step.axes) + 2 or step.channels >= count:
        return Start(by=step.name)
    space = [place.axes[axis] for axis in step.axes]
    # A convolution along one axis is written as one in two of which one has size 1.
    if len(space) == 1 or (len(space) == 2 and space.count(None) == 1):
        return Start("signal", place.axes[step.channels], step.name)
    if len(space) == 3:
        return Start("image", _bands(tuple(space), step.channels == count - 1), step.name)
    channels = place.axes[step.channels]
    if channels is None and None not in space:
        left = set(range(1, rank)) - set(space)
        channels = left.pop() if len(left) == 1 else None
    if channels is None and not (rank == 3 and None not in space):
        return Start(by=step.name)
    return Start("image", channels, step.name)
