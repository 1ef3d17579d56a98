"""Batch sizes by memory: inputs that a network may take at once, by the size of its activations."""

from math import prod

import numpy as np

ROOM = 300e6
"""Bytes for the activations that a network holds at once while it runs."""
HELD = 3
"""Tensors of the size of the largest that a runtime holds at once: input and output of an operation, and a copy."""


def largest(content: bytes) -> int:
    """Bytes of the largest tensor that a .tflite file computes for one input, or 1."""
    from ai_edge_litert import schema_py_generated as schema

    from quantrift.core.networks.tflite_buffers import stored

    types = schema.TensorType
    widths = {types.FLOAT64: 8, types.INT64: 8, types.FLOAT32: 4, types.INT32: 4, types.FLOAT16: 2, types.INT16: 2}
    root = schema.Model.GetRootAs(content, 0)
    sizes = [1]
    for graph in map(root.Subgraphs, range(root.SubgraphsLength())):
        for tensor in map(graph.Tensors, range(graph.TensorsLength())):
            shape = tensor.ShapeAsNumpy()
            # Weights are not computed, and scalars have no shape.
            if stored(root, tensor) is not None or not np.size(shape) or not isinstance(shape, np.ndarray):
                continue
            rows = max(1, int(shape[0]))
            sizes.append(prod(abs(int(side)) for side in shape) // rows * widths.get(tensor.Type(), 1))
    return max(sizes)


def rows(size: int, most: int) -> int:
    """Inputs at once, at most ``most``, for a network whose largest tensor has ``size`` bytes for one input."""
    return max(1, min(most, int(ROOM / (HELD * size))))
