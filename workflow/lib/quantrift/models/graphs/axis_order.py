"""Layout of a network's input axes and the kind of its inputs, stored in a file that does not state them itself.

A search loads a network by its path alone, so the user's choice has to be in the file. All formats allow this without
a change to any byte of the network: a .tflite or .pte file may be followed by other bytes, an .xml file by a comment,
bytes after an .onnx file are merged into the model, and a .pt2 file is an archive that may hold more files.
"""

import zipfile
from io import BytesIO
from typing import Any, Literal

from quantrift.models.libraries import library

Layout = Literal["channels_last", "channels_first"]
LAYOUTS: tuple[Layout, ...] = ("channels_last", "channels_first")
Mark = Literal["channels_last", "channels_first", "table", "signal", "signal_channels_first", "signal_undecided"]
"""The layout of images; or other inputs, signals with the axis of time first, last, or with nothing that tells it."""
MARKS: tuple[Mark, ...] = (*LAYOUTS, "table", "signal", "signal_channels_first", "signal_undecided")
KEY = "quantrift.layout"
ENTRY = f"extra/{KEY}"
"""Member of a .pt2 file, below the folder in which all of its members lie."""


def with_mark(content: bytes, suffix: str, mark: Mark) -> bytes:
    """The content of a network's file, ending in ``suffix``, with the mark added."""
    if suffix == ".pt2":
        return _archived(content, mark)
    if suffix == ".xml":
        return content + b"<!--" + _bytes(mark) + b"-->"
    if suffix != ".onnx":
        return content + _bytes(mark)
    onnx = library("onnx", "onnxruntime")
    entry = onnx.StringStringEntryProto(key=KEY, value=mark)
    return content + bytes(onnx.ModelProto(metadata_props=[entry]).SerializeToString())


def mark_at_end(content: bytes) -> Mark | None:
    """The mark that ``with_mark`` added to the end of a .tflite, .pte or .xml file; ``None`` if it has none."""
    end = content.removesuffix(b"-->")
    return next((mark for mark in MARKS if end.endswith(_bytes(mark))), None)


def without_mark(content: bytes) -> bytes:
    """A file as it was before ``with_mark`` added to its end."""
    mark = mark_at_end(content)
    return content if mark is None else content.removesuffix(_bytes(mark))


def mark_of_text(text: str) -> Mark | None:
    """The mark in the text of the member ``ENTRY`` of a .pt2 file; ``None`` if it is none."""
    return next((mark for mark in MARKS if mark == text), None)


def mark_of_onnx(model: Any) -> Mark | None:
    """The mark that ``with_mark`` added to the .onnx file of ``model``; ``None`` if it has none."""
    return mark_of_text({entry.key: entry.value for entry in model.metadata_props}.get(KEY, ""))


def _bytes(mark: Mark) -> bytes:
    return f"{KEY}={mark}".encode()


def _archived(content: bytes, mark: Mark) -> bytes:
    held = BytesIO(content)
    with zipfile.ZipFile(held, "a") as archive:
        folder = archive.namelist()[0].partition("/")[0]
        # A time of now would give other bytes each time.
        archive.writestr(zipfile.ZipInfo(f"{folder}/{ENTRY}"), mark)
    return held.getvalue()
