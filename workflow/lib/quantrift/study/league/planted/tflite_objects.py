"""The object form of .tflite files: weighted layers and their integers, read and written."""

from collections.abc import Callable
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.networks.tflite_graph import with_all_buffers


def edited(file: bytes, change: Callable[[schema.ModelT], None]) -> bytes:
    """A .tflite file after ``change`` was made to its object form."""
    model = unpacked(file)
    change(model)
    return packed(model)


def unpacked(file: bytes) -> schema.ModelT:
    """The object form of a .tflite file."""
    return with_all_buffers(file)


def packed(model: schema.ModelT) -> bytes:
    """The .tflite file of an object form."""
    # Comes with ai-edge-litert, whose schema needs it.
    import flatbuffers

    builder = flatbuffers.Builder(2**16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def weighted(model: schema.ModelT) -> list[tuple[Any, Any]]:
    """Weights and bias, both tensors, of each convolution and dense layer, in the order of computation."""
    kinds = {
        schema.BuiltinOperator.CONV_2D,
        schema.BuiltinOperator.DEPTHWISE_CONV_2D,
        schema.BuiltinOperator.FULLY_CONNECTED,
    }
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    graph = model.subgraphs[0]
    found = [one for one in graph.operators if codes[one.opcodeIndex] in kinds]
    return [(graph.tensors[one.inputs[1]], graph.tensors[one.inputs[2]]) for one in found]


def values(model: schema.ModelT, tensor: Any) -> np.ndarray:
    """The integers of a constant tensor, a copy in its shape."""
    kind = {schema.TensorType.INT8: np.int8, schema.TensorType.INT32: np.int32}[tensor.type]
    stored = np.asarray(model.buffers[tensor.buffer].data, np.uint8)
    return np.frombuffer(stored.tobytes(), kind).reshape(tensor.shape).copy()


def store(model: schema.ModelT, tensor: Any, new: np.ndarray) -> None:
    """Write integers over those of a constant tensor, in their type."""
    model.buffers[tensor.buffer].data = np.frombuffer(new.tobytes(), np.uint8)
