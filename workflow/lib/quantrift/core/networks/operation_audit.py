"""Audit of a .tflite file: types of every operation, and the share of the multiply-accumulates in 8 bits.

Converters leave operations without an 8-bit kernel in float32 and say nothing (3-D convolutions, for one),
so that only the file itself tells whether a network is quantized. Reads the file's schema; runs nothing.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import reading, refuse
from quantrift.core.base.grouped import grouped
from quantrift.core.networks.tflite_graph import Graph, Tensor, graphs, whole

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
BITS = {"FLOAT32": 32, "FLOAT16": 16, "INT4": 4, "INT8": 8, "UINT8": 8, "INT16": 16}
"""Bits of one number of the types that weights have; others hold shapes and settings."""


def audit(model: Path | bytes) -> dict[str, Any]:
    """Audit a .tflite file, given by its path or content.

    Returns:
        ``macs`` and ``int8_macs``, multiply-accumulates for one input; ``int8_mac_share``, their ratio (0 where
        there are none); ``mac_shares``, by the types of both operands; ``constants``, how many stored numbers there
        are of each type; ``weight_bits``, the bits of all of them; ``ops``, the operations in the order of execution.
        Of each: ``op``, its name in the schema, like ``CONV_2D``; ``tensor``, the name of its output, which holds the
        names of the layers it comes from; ``input``, ``weights`` and ``output``, the types of its first and second
        operand and of its result, like ``INT8``, empty without one; ``macs`` for one input; and ``int8``, whether it
        computes with 8-bit integers: all three types are.

    Raises:
        QuantriftError: if it is not a .tflite file, a damaged one, or one without operations.
    """
    name, content = ("the model", model) if isinstance(model, bytes) else (model, model.read_bytes())
    # The schema's code trusts every offset and length in the file, and meets damage with whatever comes of it.
    with reading(name, "damaged .tflite file", "build it again"):
        refuse((not whole(content), f"{name}: not a .tflite file; build it again"))
        found = graphs(content)
        ops, constants = [op for graph in found for op in _operations(graph)], _constants(found)
    refuse((not ops, f"{name}: a .tflite file without operations; build it again"))
    macs, int8_macs = sum(op["macs"] for op in ops), sum(op["macs"] for op in ops if op["int8"])
    return {
        "macs": macs,
        "int8_macs": int8_macs,
        "int8_mac_share": int8_macs / macs if macs else 0.0,
        "mac_shares": _mac_shares(ops, macs),
        "constants": constants,
        "weight_bits": sum(count * BITS[kind] for kind, count in constants.items()),
        "ops": ops,
    }


def not_int8(report: dict[str, Any]) -> str:
    """The operations of an audit that multiply outside 8 bits, for people: names, counts and shares of the work."""
    shares = grouped(
        (f"{op['op']} on {op['input']}", op["macs"] / report["macs"])
        for op in report["ops"]
        if op["macs"] and not op["int8"]
    )
    return ", ".join(f"{len(macs)} x {name} ({sum(macs):.1%})" for name, macs in shares.items())


def _mac_shares(ops: list[dict[str, Any]], macs: int) -> dict[str, float]:
    shares: Counter[str] = Counter()
    for op in (one for one in ops if one["macs"]):
        shares[" x ".join(dict.fromkeys((op["input"], op["weights"])))] += op["macs"]
    return {types: count / macs for types, count in sorted(shares.items())}


def _constants(found: list[Graph]) -> dict[str, int]:
    """Type -> how many numbers of it the file holds; without 32-bit integers: biases of 8-bit layers, and shapes."""
    counts: Counter[str] = Counter()
    for tensor in (one for graph in found for one in graph.tensors):
        if tensor.type in BITS and tensor.stored is not None:
            counts[tensor.type] += math.prod(_shape(tensor))
    return dict(sorted(counts.items()))


def _operations(graph: Graph) -> Iterator[dict[str, Any]]:
    """The operations of a graph, as ``audit`` gives them."""
    for one in graph.operations:
        # -1 stands for a tensor that is left out.
        operands, results = (
            [graph.tensors[index] for index in side if index >= 0] for side in (one.inputs, one.outputs)
        )
        types = [tensor.type for tensor in (*operands[:2], *results[:1])]
        yield {
            "op": one.kind,
            "tensor": results[0].name if results else "",
            "input": types[0] if operands else "",
            "weights": types[1] if len(operands) > 1 else "",
            "output": types[-1] if results else "",
            "macs": MACS[one.kind](_shape(operands[1]), _shape(results[0])) if one.kind in MACS else 0,
            "int8": set(types) == {"INT8"},
        }


def _shape(tensor: Tensor) -> Shape:
    if any(side < 1 for side in tensor.shape):
        raise ValueError("a side of a tensor is not positive")
    return tensor.shape
