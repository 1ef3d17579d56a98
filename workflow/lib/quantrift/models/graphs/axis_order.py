"""The order of the axes of a network's input, written behind the content of a file that does not say it itself.

A search loads a network by its path alone, so that what a user decided has to travel in the file. Both formats allow
for it without a change to any byte of the network: a .tflite file may be followed by other bytes, and what follows an
.onnx file is merged into it.
"""

from typing import Any, Literal

from quantrift.models.libraries import library

Layout = Literal["channels_last", "channels_first"]
LAYOUTS: tuple[Layout, ...] = ("channels_last", "channels_first")
KEY = "quantrift.layout"


def with_layout(content: bytes, suffix: str, layout: Layout) -> bytes:
    """The content of a network's file, ending in ``suffix``, that says its layout from now on."""
    if suffix != ".onnx":
        return content + _mark(layout)
    onnx = library("onnx", "onnxruntime")
    entry = onnx.StringStringEntryProto(key=KEY, value=layout)
    return content + bytes(onnx.ModelProto(metadata_props=[entry]).SerializeToString())


def layout_of_tflite(content: bytes) -> Layout | None:
    """What ``with_layout`` wrote behind a .tflite file; ``None`` if nothing."""
    return next((layout for layout in LAYOUTS if content.endswith(_mark(layout))), None)


def layout_of_onnx(model: Any) -> Layout | None:
    """What ``with_layout`` wrote behind an .onnx file, of which ``model`` was read; ``None`` if nothing."""
    said = {entry.key: entry.value for entry in model.metadata_props}.get(KEY)
    return next((layout for layout in LAYOUTS if layout == said), None)


def _mark(layout: Layout) -> bytes:
    return f"{KEY}={layout}".encode()
