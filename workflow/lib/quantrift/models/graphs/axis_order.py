"""Layout of a network's input axes, stored at the end of a file that does not state it itself.

A search loads a network by its path alone, so the user's choice of a layout has to be in the file. Both formats allow
this without a change to any byte of the network: a .tflite file may be followed by other bytes, and bytes after an
.onnx file are merged into the model.
"""

from typing import Any, Literal

from quantrift.models.libraries import library

Layout = Literal["channels_last", "channels_first"]
LAYOUTS: tuple[Layout, ...] = ("channels_last", "channels_first")
KEY = "quantrift.layout"


def with_layout(content: bytes, suffix: str, layout: Layout) -> bytes:
    """The content of a network's file, ending in ``suffix``, with the layout added."""
    if suffix != ".onnx":
        return content + _mark(layout)
    onnx = library("onnx", "onnxruntime")
    entry = onnx.StringStringEntryProto(key=KEY, value=layout)
    return content + bytes(onnx.ModelProto(metadata_props=[entry]).SerializeToString())


def layout_of_tflite(content: bytes) -> Layout | None:
    """The layout that ``with_layout`` added to a .tflite file; ``None`` if it has none."""
    return next((layout for layout in LAYOUTS if content.endswith(_mark(layout))), None)


def layout_of_onnx(model: Any) -> Layout | None:
    """The layout that ``with_layout`` added to the .onnx file of ``model``; ``None`` if it has none."""
    said = {entry.key: entry.value for entry in model.metadata_props}.get(KEY)
    return next((layout for layout in LAYOUTS if layout == said), None)


def _mark(layout: Layout) -> bytes:
    return f"{KEY}={layout}".encode()
