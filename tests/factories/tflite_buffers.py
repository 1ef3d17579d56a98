"""Files that store their numbers behind the table, as newer writers do."""

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

ALIGNED = 16
SMALL = 64
"""Bytes that stay in the table."""


def behind(content: bytes) -> bytes:
    """The same .tflite network with all but small buffers behind its table."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    moved = {}
    for number, buffer in enumerate(model.buffers):
        if buffer.data is not None and len(buffer.data) > SMALL:
            moved[number] = bytes(bytearray(buffer.data))
            # Fields are as long whatever they say, so that places are known after the first packing.
            buffer.data, buffer.offset, buffer.size = None, 2, len(moved[number])
    end = len(_packed(model))
    parts = []
    for number, data in moved.items():
        padding = -end % ALIGNED
        model.buffers[number].offset = end + padding
        parts.append(bytes(padding) + data)
        end += padding + len(data)
    assert moved
    return _packed(model) + b"".join(parts)


def _packed(model: schema.ModelT) -> bytes:
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
