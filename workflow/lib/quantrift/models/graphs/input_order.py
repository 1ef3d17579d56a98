"""Order of the inputs of a network with several, stored in its file: the one that searches change comes first.

A search loads a network by its path alone, so the user's choice has to be in the file, as it is for the layout
(``quantrift.models.graphs.axis_order``), whose mark stands behind this one.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from quantrift.models.graphs.axis_order import without_mark
from quantrift.models.libraries import library

KEY = "quantrift.inputs"
SUFFIXES = (".tflite", ".lite", ".onnx")
"""Endings of the files of which inputs can be chosen by name."""
LONGEST = 2**16
"""Bytes at the end of a file among which an order may begin."""
ADDED = re.compile(r"^(?:serving_default|serve)_|:\d+$")
"""Parts of names that converters to TensorFlow Lite add."""


def plain(name: str) -> str:
    """A name of an input without what converters add to it.

    >>> plain("serving_default_angle:0")
    'angle'
    """
    return ADDED.sub("", name)


def with_order(content: bytes, suffix: str, names: Sequence[str]) -> bytes:
    """The content of a network's file, ending in ``suffix``, one of ``SUFFIXES``, with the names of its inputs added.

    Args:
        content: without a mark of its layout.
        suffix: of the file's name.
        names: of all inputs, as the file has them; the one to change comes first.
    """
    text = json.dumps(list(names), ensure_ascii=False)
    if suffix != ".onnx":
        return content + f"{KEY}={text}".encode()
    onnx = library("onnx", "onnxruntime")
    entry = onnx.StringStringEntryProto(key=KEY, value=text)
    return content + bytes(onnx.ModelProto(metadata_props=[entry]).SerializeToString())


def order_at_end(content: bytes) -> tuple[str, ...] | None:
    """The order that ``with_order`` added to the end of a .tflite file; ``None`` if it has none."""
    _, found, text = without_mark(content[-LONGEST:]).rpartition(f"{KEY}=".encode())
    return _read(text.decode(errors="replace")) if found else None


def order_of_onnx(model: Any) -> tuple[str, ...] | None:
    """The order that ``with_order`` added to the .onnx file of ``model``; ``None`` if it has none."""
    return _read({entry.key: entry.value for entry in model.metadata_props}.get(KEY, ""))


def _read(text: str) -> tuple[str, ...] | None:
    try:
        return tuple(map(str, json.loads(text)))
    # Other bytes that happen to hold the key are no order.
    except (ValueError, TypeError):
        return None
