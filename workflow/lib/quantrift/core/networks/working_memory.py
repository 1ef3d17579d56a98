"""Batch sizes by memory: inputs that a network may take at once, by the size of its activations."""

from math import prod

ROOM = 300e6
"""Bytes for the activations that a network holds at once while it runs."""
HELD = 3
"""Tensors of the size of the largest that a runtime holds at once: input and output of an operation, and a copy."""


def largest(content: bytes) -> int:
    """Bytes of the largest tensor that a .tflite file computes for one input, or 1."""
    from quantrift.core.networks.tflite_graph import DTYPES, graphs

    sizes = [1]
    for tensor in (one for graph in graphs(content) for one in graph.tensors):
        # Weights are not computed, and scalars have no shape.
        if tensor.shape and tensor.stored is None:
            width = DTYPES[tensor.type].itemsize if tensor.type in DTYPES else 1
            sizes.append(prod(map(abs, tensor.shape)) // max(1, tensor.shape[0]) * width)
    return max(sizes)


def rows(size: int, most: int) -> int:
    """Inputs at once, at most ``most``, for a network whose largest tensor has ``size`` bytes for one input."""
    return max(1, min(most, int(ROOM / (HELD * size))))
