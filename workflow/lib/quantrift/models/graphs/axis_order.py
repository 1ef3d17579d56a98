"""Layout of a network's input axes and the kind of its inputs, stored in a file that does not state them itself.

A search loads a network by its path alone, so the user's choice has to be in the file. Both formats allow
this without a change to any byte of the network: a .tflite file may be followed by other bytes, and bytes after an
.onnx file are merged into the model.
"""

from typing import Any, Literal

from quantrift.models.libraries import library

Layout = Literal["channels_last", "channels_first"]
LAYOUTS: tuple[Layout, ...] = ("channels_last", "channels_first")
Mark = Literal["channels_last", "channels_first", "table", "signal", "signal_channels_first", "signal_undecided"]
"""The layout of images; or other inputs, signals with the axis of time first, last, or with nothing that tells it."""
MARKS: tuple[Mark, ...] = (*LAYOUTS, "table", "signal", "signal_channels_first", "signal_undecided")
KEY = "quantrift.layout"


def with_mark(content: bytes, suffix: str, mark: Mark) -> bytes:
    """The content of a network's file, ending in ``suffix``, with the mark added."""
    if suffix != ".onnx":
        return content + _bytes(mark)
    onnx = library("onnx", "onnxruntime")
    entry = onnx.StringStringEntryProto(key=KEY, value=mark)
    return content + bytes(onnx.ModelProto(metadata_props=[entry]).SerializeToString())


def mark_of_tflite(content: bytes) -> Mark | None:
    """The mark that ``with_mark`` added to a .tflite file; ``None`` if it has none."""
    return next((mark for mark in MARKS if content.endswith(_bytes(mark))), None)


def mark_of_onnx(model: Any) -> Mark | None:
    """The mark that ``with_mark`` added to the .onnx file of ``model``; ``None`` if it has none."""
    said = {entry.key: entry.value for entry in model.metadata_props}.get(KEY)
    return next((mark for mark in MARKS if mark == said), None)


def _bytes(mark: Mark) -> bytes:
    return f"{KEY}={mark}".encode()
