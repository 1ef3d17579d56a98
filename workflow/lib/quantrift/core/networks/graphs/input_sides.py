"""Sides of a network's input as rows, columns and channels: images, tables and signals in one form.

Everything inside works on (H, W, C). A table of F features is (1, 1, F), a signal of T steps and C channels (1, T, C).
"""

from dataclasses import dataclass
from typing import Literal

from quantrift.core.networks.graphs.choices import Layout, Mark
from quantrift.core.networks.graphs.first_operations import Start

Kind = Literal["image", "signal", "table"]


@dataclass(frozen=True)
class Sides:
    """An input of a network, the batch aside."""

    image: tuple[int, int, int]
    """Height, width and channels of one image; (1, T, C) of a signal and (1, 1, F) of a table."""
    kind: Kind
    first: bool = False
    """Whether the file takes channels before rows, or before time."""
    decided: bool = True
    """Whether the file states the axis of its channels; otherwise they are assumed to be last."""


def sides(shape: tuple[int, ...], start: Start, mark: Mark | None) -> Sides | None:
    """What an input is, by a mark in its file or else by its first operations; ``None`` if it is nothing known.

    One side is a table unless a convolution runs along it. Two sides are an image without channels unless a convolution
    along one of them, or a mark, says that they are a signal: the sides alone cannot tell.

    Args:
        shape: of one input.
        start: properties that the first operations imply.
        mark: as stored in the file.
    """
    if not shape:
        return None
    if mark is not None and mark.startswith("signal"):
        return _signal(shape, mark == "signal_channels_first", mark != "signal_undecided")
    if start.kind == "signal" and mark is None and len(longer_sides(shape)) <= 2:
        places = [axis for axis, side in enumerate(shape, 1) if side != 1]
        return _signal(shape, len(places) == 2 and start.channels == places[0], True)
    if mark == "table" or len(shape) == 1:
        longer = longer_sides(shape)
        return Sides((1, 1, longer[0] if longer else 1), "table") if len(longer) <= 1 else None
    layout: Layout | None = mark if mark in ("channels_first", "channels_last") else None
    first, decided = _layout(shape, start, layout)
    image = _image(shape, first)
    return None if image is None else Sides(image, "image", first, decided)


def longer_sides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The sides that are no 1, which hold all values in the same order."""
    return tuple(side for side in shape if side != 1)


def _signal(shape: tuple[int, ...], first: bool, decided: bool) -> Sides | None:
    longer = longer_sides(shape)
    if len(longer) > 2:
        return None
    if len(longer) < 2:
        # Of one channel, whose values stand in the same order either way; or of one step, if the file says so.
        steps, channels = (*longer, 1, 1)[:2]
        return Sides((1, steps, channels), "signal")
    steps, channels = reversed(longer) if first else longer
    return Sides((1, steps, channels), "signal", first, decided)


def _layout(shape: tuple[int, ...], start: Start, layout: Layout | None) -> tuple[bool, bool]:
    """Whether channels come first, and whether that is known; it is not for channels between rows and columns."""
    if len(shape) != 3:
        return False, True
    if layout is not None:
        return layout == "channels_first", True
    if start.channels == 2:
        return False, False
    if start.channels is not None:
        return start.channels == 1, True
    # The values of one channel stand in the same order either way.
    one_first, one_last = shape[0] == 1 and min(shape[1:]) > 1, shape[2] == 1
    return one_first, one_first or one_last


def _image(shape: tuple[int, ...], first: bool) -> tuple[int, int, int] | None:
    """Shape of the image of an input: (H, W, C), (C, H, W), (H, W) without channels, or (H, W, C, 1) for a 3-D network.

    ``first``: whether the channels of three sides come first.
    """
    match shape:
        case (height, width):
            return height, width, 1
        case (channels, height, width) if first:
            return height, width, channels
        case (height, width, channels) | (height, width, channels, 1):
            return height, width, channels
    return None
