"""Layout of a network's input axes and the kind of its inputs, noted in a file that does not state them itself."""

from typing import Literal

from quantrift.core.networks.graphs.notes import LAYOUT, with_note

Layout = Literal["channels_last", "channels_first"]
LAYOUTS: tuple[Layout, ...] = ("channels_last", "channels_first")
Mark = Literal["channels_last", "channels_first", "table", "signal", "signal_channels_first", "signal_undecided"]
"""The layout of images; or other inputs, signals with the axis of time first, last, or with nothing that tells it."""
MARKS: tuple[Mark, ...] = (*LAYOUTS, "table", "signal", "signal_channels_first", "signal_undecided")


def with_mark(content: bytes, suffix: str, mark: Mark) -> bytes:
    """The content of a network's file, ending in ``suffix``, with the mark added."""
    return with_note(content, suffix, LAYOUT, mark)


def mark_of_text(text: str | None) -> Mark | None:
    """The mark that a note holds; ``None`` if it holds none."""
    return next((mark for mark in MARKS if mark == text), None)
