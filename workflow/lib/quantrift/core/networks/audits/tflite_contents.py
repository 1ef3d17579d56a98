"""Contents of a .tflite file."""

import math
from collections.abc import Callable, Iterator

from ai_edge_litert import schema_py_generated as schema

from quantrift.core.networks.audits.contents import Contents, Held, Step
from quantrift.core.networks.tflite_graph import Graph, Tensor, graphs

Shape = tuple[int, ...]
MACS: dict[str, Callable[[Shape, Shape], int]] = {
    "CONV_2D": lambda weights, output: math.prod(output) * math.prod(weights[1:]),
    "DEPTHWISE_CONV_2D": lambda weights, output: math.prod(output) * math.prod(weights[1:3]),
    "CONV_3D": lambda weights, output: math.prod(output) * math.prod(weights[:4]),
    "FULLY_CONNECTED": lambda weights, output: math.prod(output) * weights[1],
    "BATCH_MATMUL": lambda weights, output: math.prod(output) * (math.prod(weights[-2:]) // output[-1]),
}
"""Multiply-accumulates of the operations that have any, from the shapes of weights and output.

The weights are laid out as (out, rows, columns, in), (1, rows, columns, out), (depth, rows, columns, in, out) and
(out, in); BATCH_MATMUL's second operand as (..., in, out) or, adjoint, (..., out, in).
"""
WEIGHTED = {
    "CONV_2D": (0, schema.Conv2DOptions),
    "DEPTHWISE_CONV_2D": (3, schema.DepthwiseConv2DOptions),
    "CONV_3D": (4, schema.Conv3DOptions),
    "FULLY_CONNECTED": (0, schema.FullyConnectedOptions),
}
"""Operation with weights -> their axis of outputs, and the class of its settings in the schema."""


def contents(content: bytes) -> Contents:
    """The contents of all graphs of a file.

    Raises:
        Exception: of any class, where the file is damaged.
    """
    steps: list[Step] = []
    constants: list[Held] = []
    for graph in graphs(content):
        held = [_held(one) for one in graph.tensors]
        constants += [one for one, tensor in zip(held, graph.tensors, strict=True) if tensor.stored is not None]
        steps += _steps(graph, held)
    return Contents(steps, constants)


def _held(tensor: Tensor) -> Held:
    axis = tensor.axis if len(tensor.scales) > 1 else 0
    return Held(tensor.name, tensor.type, tensor.shape, tensor.numbers, tensor.scales, tensor.zeros, axis)


def _steps(graph: Graph, held: list[Held]) -> Iterator[Step]:
    for one in graph.operations:
        # -1 stands for a tensor that is left out.
        operands, results = ([held[index] for index in side if index >= 0] for side in (one.inputs, one.outputs))
        channels, settings = WEIGHTED.get(one.kind, (None, None))
        yield Step(
            one.kind,
            operands,
            results[0] if results else Held("", "", None),
            MACS[one.kind](sides(operands[1]), sides(results[0])) if one.kind in MACS else 0,
            {tensor.type for tensor in (*operands[:2], *results[:1])} == {"INT8"},
            channels if channels is not None and operands[1].numbers is not None else None,
            one.kind == "DEPTHWISE_CONV_2D",
            settings is not None and bool(one.options(settings).FusedActivationFunction()),
        )


def sides(tensor: Held) -> Shape:
    """The shape of a tensor.

    Raises:
        ValueError: a side is not positive.
    """
    if any(side < 1 for side in tensor.shape or ()):
        raise ValueError("a side of a tensor is not positive")
    return tensor.shape or ()
