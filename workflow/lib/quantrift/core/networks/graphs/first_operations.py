"""Analysis of a network's first operations: the axis of its channels, and the scaling of its inputs.

A graph is followed from its input, through elementwise operations and moves of axes, to the first operation that is
defined on rows, columns and channels, like a convolution. Sizes of axes are not used.
"""

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import inf, prod
from typing import Any, ClassVar, Literal

import numpy as np

from quantrift.core.networks.graph import Graph, Key, Operation

Kind = Literal["image", "signal", "sequence", "tokens"]


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


Scaling = tuple[np.ndarray | None, np.ndarray | None]
"""Factor and then offset of an operation on each value, float64 (1,) or one for each channel, where both are known."""


@dataclass(frozen=True, eq=False)
class _Place:
    """A tensor on the path, and the origin of its axes."""

    tensor: Any
    axes: tuple[int | None, ...]
    """Axis of the input that each axis is; ``None`` for axes of size 1 whose origin is not known."""
    sizes: tuple[int, ...]
    slope: np.ndarray
    offset: np.ndarray
    linear: bool = True
    scaled: bool = False

    def after(self, slope: np.ndarray | None, offset: np.ndarray | None) -> "_Place":
        """The same values after an operation on each of them."""
        if (
            not self.linear
            or slope is None
            or offset is None
            or len({len(one) for one in (self.slope, self.offset, slope, offset)} - {1}) > 1
        ):
            return replace(self, linear=False)
        scaled = self.scaled or bool((slope != 1).any() or (offset != 0).any())
        return replace(self, slope=self.slope * slope, offset=self.offset * slope + offset, scaled=scaled)

    def moved(self, axes: Sequence[int]) -> "_Place | None":
        """The same with its axes in another order."""
        if sorted(axes) != list(range(len(self.axes))):
            return None
        sizes = tuple(self.sizes[axis] for axis in axes)
        return replace(self, axes=tuple(self.axes[axis] for axis in axes), sizes=sizes)


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Names of a format for operations, by what they do."""

    spatial: Set[str]
    """Defined on rows, columns and channels."""
    sequences: Set[str]
    tokens: Mapping[str, int]
    """Operations that look up numbers, with the first place of these among the inputs."""
    means: Set[str]
    transposing: Set[str]
    shapes: Set[str]
    """Give another shape."""
    unchanging: Set[str]
    """Say the same as their input, in another type or with an edge."""
    elementwise: Set[str]
    arithmetic: Mapping[str, str]
    """With the names of ``linear``."""
    endings: Mapping[str, str]
    """With the names of ``signature``."""
    data: Mapping[str, int] = field(default_factory=dict)
    """Place of the data among the inputs, where that is not the first."""


class GivenGraph(Graph[Key]):
    """The graph in a given file, of which the first and the last operations tell the network's signature."""

    WORDS: ClassVar[Vocabulary]

    @abstractmethod
    def sides(self, tensor: Key) -> Sequence[int]:
        """Sizes of a tensor, that of the batch included; -1 where one is open."""

    def axes(self, operation: Operation[Key], rank: int) -> Sequence[int] | None:
        """Axes of a mean or a transposition of a tensor of ``rank`` axes; ``None`` if they are computed."""
        return self.numbers(operation)

    def numbers(self, operation: Operation[Key]) -> list[int] | None:
        """Whole numbers that are the second operand; ``None`` for what is computed."""
        stated = self.operand(operation, 1)
        return None if stated is None else [int(number) for number in stated.reshape(-1)]

    def shape(self, operation: Operation[Key], sizes: Sequence[int]) -> Sequence[int] | None:
        """Shape that an operation gives a tensor of some sizes: see ``Reshapes``; ``None`` if it is computed."""
        return self.sides(operation.outputs[0])

    def operand(self, operation: Operation[Key], place: int) -> np.ndarray | None:
        """Values of an operand; ``None`` for what is computed."""
        return self.constant(operation.inputs[place]) if place < len(operation.inputs) else None

    def epsilon(self, operation: Operation[Key]) -> float | None:
        """Number that a batch normalisation adds to variances; ``None`` for other operations."""
        return None

    def channels_last(self, operation: Operation[Key]) -> bool:
        """Whether an operation on rows and columns takes the channels behind them."""
        return False

    def ending(self, output: Key) -> str | None:
        """The operation that decides an output, by its name in the schema of .tflite files; ``None`` for most."""
        last = self.deciding(output)
        return None if last is None else self.WORDS.endings.get(last.kind)

    def start(self, tensor: Key) -> Start:
        """Properties of an input that the first operations on it imply."""
        shape = tuple(self.sides(tensor))
        waiting = deque([_Place(tensor, tuple(range(len(shape))), shape, np.ones(1), np.zeros(1))])
        seen, found, ends = set(), [], []
        while waiting:
            place = waiting.popleft()
            if place.tensor not in seen:
                seen.add(place.tensor)
                after = [
                    self._after(one, place, len(shape)) for one in self.readers.get(place.tensor, ()) if one.outputs
                ]
                moved = [one for one in after if isinstance(one, _Place)]
                told = [one for one in after if isinstance(one, tuple)]
                waiting += moved
                found += [start for start, _ in told]
                ends += [end for _, end in told if end is not None] + ([] if moved else [place])
        told_first = next(iter(found), Start())
        if any((one.kind, one.channels) != (told_first.kind, told_first.channels) for one in found):
            told_first = Start()
        scaled = next((end for end in ends if end.scaled), None)
        return replace(told_first, slope=scaled.slope, offset=scaled.offset) if scaled else told_first

    def _after(self, one: Operation[Key], place: _Place, rank: int) -> _Place | tuple[Start, _Place | None] | None:
        """The place behind an operation, or what it tells of the input with its own scaling; ``None`` for neither."""
        kind, words, number = one.kind, self.WORDS, one.inputs.index(place.tensor)
        result = replace(place, tensor=one.outputs[0])
        if kind in words.arithmetic:
            return result.after(*linear(words.arithmetic[kind], self.operand(one, 1 - number), number == 0))
        if kind in words.elementwise:
            return result.after(None, None)
        if kind in words.sequences or number >= words.tokens.get(kind, inf):
            return Start("sequence" if kind in words.sequences else "tokens", None, kind), None
        if number != words.data.get(kind, 0):
            return None
        if kind in words.spatial:
            return self._spatial(one, place, rank)
        if kind in words.unchanging:
            return result
        if kind in words.shapes:
            shape = self.shape(one, place.sizes)
            return None if shape is None else _reshaped(result, tuple(shape))
        axes = self.axes(one, len(place.sizes)) if kind in words.means | words.transposing else None
        if axes is None or kind in words.transposing:
            return None if axes is None else result.moved(axes)
        over = mean(axes, len(place.sizes))
        return None if over is None else (_told(kind, *over, place, rank), place)

    def _spatial(self, one: Operation[Key], place: _Place, rank: int) -> tuple[Start, _Place]:
        last, epsilon, own, end = self.channels_last(one), self.epsilon(one), len(place.sizes), place
        space = range(1, own - 1) if last else range(2, own)
        if epsilon is not None:
            stated = (self.operand(one, number) for number in range(1, 5))
            values = [np.ravel(value).astype(np.float64) for value in stated if value is not None]
            if len(values) == 4:
                scale, bias, average, variance = values
                slope = scale / np.sqrt(variance + epsilon)
                end = place.after(slope, bias - average * slope)
        return _told(one.kind, tuple(space), own - 1 if last else 1, place, rank), end


def linear(name: str, other: np.ndarray | None, first: bool) -> Scaling:
    """Scaling by a sum, difference, product or quotient of the tensor that is followed and another one.

    Args:
        name: of the operation: Add, Sub, Mul or Div.
        other: the other tensor, if it is a constant.
        first: whether the followed tensor is the first operand.
    """
    if other is None or other.size != max(other.shape, default=1):
        return None, None
    value, one, none = other.astype(np.float64).reshape(-1), np.ones(1), np.zeros(1)
    match name.upper(), first:
        case "ADD", _:
            return one, value
        case "SUB", _:
            return (one, -value) if first else (-one, value)
        case "MUL", _:
            return value, none
        case "DIV", True if value.all():
            return 1 / value, none
    return None, None


def mean(over: Sequence[int], rank: int) -> tuple[tuple[int, ...], int] | None:
    """Axes of space and axis of the channels of a mean over two of three axes, the batch's aside."""
    axes = tuple(sorted(axis % rank for axis in over)) if rank else ()
    return None if rank != 4 or len(axes) != 2 or 0 in axes else (axes, 6 - sum(axes))


def _reshaped(place: _Place, shape: tuple[int, ...]) -> _Place | None:
    """The place after a reshaping that only adds or drops axes of size 1; ``None`` after any other.

    In a shape with the batch, -1 stands for the remaining size, 0 for the previous one.
    """
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
    axes = (0, *(None if size == 1 else next(origins) for size in sizes))
    return replace(place, axes=axes, sizes=(place.sizes[0], *sizes))


def _bands(space: tuple[int | None, ...], last: bool) -> int | None:
    """Axis of a cube's bands, where rows, columns and bands are convolved alike; ``None`` if it is not known.

    ``last``: whether the operation takes channels last; then it is applied to rows, columns and bands.
    """
    # Rows and columns are neighbours, so that a transposed cube tells more than one that is not transposed.
    turned: dict[tuple[int | None, ...], int] = {(2, 3, 1): 1, (3, 1, 2): 3}
    return 3 if space == (1, 2, 3) and last else turned.get(space)


def _told(name: str, axes: tuple[int, ...], channels: int, place: _Place, rank: int) -> Start:
    """What an operation on axes of space and on channels tells of the input, which has ``rank`` axes."""
    count = len(place.axes)
    if count != len(axes) + 2 or channels >= count:
        return Start(by=name)
    space, origin = tuple(place.axes[axis] for axis in axes), place.axes[channels]
    # A convolution along one axis is written as one in two of which one has size 1.
    if len(space) == 1 or (len(space) == 2 and space.count(None) == 1):
        return Start("signal", origin, name)
    if len(space) == 3:
        return Start("image", _bands(space, channels == count - 1), name)
    if origin is None and None not in space:
        left = set(range(1, rank)) - set(space)
        origin = left.pop() if len(left) == 1 else None
    return Start(by=name) if origin is None and not (rank == 3 and None not in space) else Start("image", origin, name)
