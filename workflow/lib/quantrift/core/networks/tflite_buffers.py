"""Numbers that a .tflite file stores: within its table, or behind it, where newer writers put large ones."""

from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

NOWHERE = 1
"""Offsets up to this one stand for none, as the format's schema says."""


def stored(root: Any, tensor: Any) -> np.ndarray | None:
    """The bytes that a file stores for a tensor, uint8 (n,); ``None`` for what is computed.

    Args:
        root: the file's ``schema.Model``.
        tensor: one of its ``schema.Tensor``.

    Raises:
        ValueError: they would lie beyond the end of the file.
    """
    return _bytes(root, tensor.Buffer())


def with_all_buffers(content: bytes) -> schema.ModelT:
    """The object form of a .tflite file, in which all stored bytes lie in its buffers, so that it can be packed again.

    Raises:
        ValueError: as ``stored``.
    """
    root = schema.Model.GetRootAs(content, 0)
    model = schema.ModelT.InitFromObj(root)
    for number, buffer in enumerate(model.buffers):
        buffer.data, buffer.offset, buffer.size = _bytes(root, number), 0, 0
    return model


def _bytes(root: Any, number: int) -> np.ndarray | None:
    buffer = root.Buffers(number)
    if buffer.DataLength():
        within: np.ndarray = buffer.DataAsNumpy()
        return within
    start, size = int(buffer.Offset()), int(buffer.Size())
    if start <= NOWHERE or not size:
        return None
    # The whole file, which the schema's code does not hand out otherwise.
    content = root._tab.Bytes
    if start + size > len(content):
        raise ValueError("a stored tensor lies beyond the end of the file")
    return np.frombuffer(content, np.uint8, size, start)
