"""Batch sizes by memory: inputs that a network may take at once, by the size of its activations."""

from math import prod

import numpy as np
from ai_edge_litert import schema_py_generated as schema

ROOM = 300e6
"""Bytes for the activations that a network holds at once while it runs."""
HELD = 3
"""Tensors of the size of the largest that a runtime holds at once: input and output of an operation, and a copy."""
_BYTES = {
    schema.TensorType.FLOAT64: 8,
    schema.TensorType.INT64: 8,
    schema.TensorType.FLOAT32: 4,
    schema.TensorType.INT32: 4,
    schema.TensorType.FLOAT16: 2,
    schema.TensorType.INT16: 2,
}


def largest(content: bytes) -> int:
    """Bytes of the largest tensor that a .tflite file computes for one input, or 1."""
    root = schema.Model.GetRootAs(content, 0)
    sizes = [1]
    for graph in map(root.Subgraphs, range(root.SubgraphsLength())):
        for tensor in map(graph.Tensors, range(graph.TensorsLength())):
            shape = tensor.ShapeAsNumpy()
            # Weights are not computed, and scalars have no shape.
            if root.Buffers(tensor.Buffer()).DataLength() or not np.size(shape) or not isinstance(shape, np.ndarray):
                continue
            rows = max(1, int(shape[0]))
            sizes.append(prod(abs(int(side)) for side in shape) // rows * _BYTES.get(tensor.Type(), 1))
    return max(sizes)


def rows(size: int, most: int) -> int:
    """Inputs at once, at most ``most``, for a network whose largest tensor has ``size`` bytes for one input."""
    return max(1, min(most, int(ROOM / (HELD * size))))
