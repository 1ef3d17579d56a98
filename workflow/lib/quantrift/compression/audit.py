"""What a .tflite file really computes in: every operation with its types, and the share of the work in 8 bits.

Converters leave operations without an 8-bit kernel in float32 and say nothing (3-D convolutions, for one),
so that only the file itself tells whether a network is quantized. Reads the file's schema; runs nothing.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ai_edge_litert import schema_py_generated as schema

from quantrift.config.errors import QuantriftError

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
_TYPES = {number: name for name, number in vars(schema.TensorType).items() if isinstance(number, int)}
_OPERATORS = {number: name for name, number in vars(schema.BuiltinOperator).items() if isinstance(number, int)}


@dataclass(frozen=True)
class Operation:
    """One operation of a file."""

    op: str
    """Its name in the schema, like ``CONV_2D``."""
    tensor: str
    """Name of its output, which holds the names of the layers it comes from."""
    input: str
    """Type of its first operand, like ``INT8``; empty without operands."""
    weights: str
    """Type of its second operand; empty where it has one operand."""
    output: str
    """Type of its result."""
    macs: int
    """Multiply-accumulates for one input."""
    int8: bool
    """Whether it computes with 8-bit integers: all three types are."""


def audit(model: Path | bytes) -> dict[str, Any]:
    """Audit a .tflite file, given by its path or content.

    Returns:
        ``macs`` and ``int8_macs``, multiply-accumulates for one input; ``int8_mac_share``, their ratio (0 where
        there are none); ``ops``, a list of the fields of ``Operation`` in the order of execution.

    Raises:
        QuantriftError: if it is not a .tflite file.
    """
    content = model if isinstance(model, bytes) else model.read_bytes()
    if not schema.Model.ModelBufferHasIdentifier(content, 0):
        name = "the model" if isinstance(model, bytes) else model
        raise QuantriftError(f"{name}: not a .tflite file; build it again")
    root = schema.Model.GetRootAs(content, 0)
    ops = []
    for graph in map(root.Subgraphs, range(root.SubgraphsLength())):
        for operator in map(graph.Operators, range(graph.OperatorsLength())):
            ops.append(_operation(root, graph, operator))
    macs = sum(op.macs for op in ops)
    int8_macs = sum(op.macs for op in ops if op.int8)
    return {
        "macs": macs,
        "int8_macs": int8_macs,
        "int8_mac_share": int8_macs / macs if macs else 0.0,
        "ops": [asdict(op) for op in ops],
    }


def not_int8(report: dict[str, Any]) -> str:
    """The operations of an audit that multiply outside 8 bits, for people: names, counts and shares of the work."""
    shares: dict[str, list[float]] = {}
    for op in report["ops"]:
        if op["macs"] and not op["int8"]:
            shares.setdefault(f"{op['op']} on {op['input']}", []).append(op["macs"] / report["macs"])
    return ", ".join(f"{len(macs)} x {name} ({sum(macs):.1%})" for name, macs in shares.items())


def _operation(root: Any, graph: Any, operator: Any) -> Operation:
    code = root.OperatorCodes(operator.OpcodeIndex())
    # Codes below 127 stand in the old field alone in files of old converters.
    name = _OPERATORS[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
    operands = [graph.Tensors(operator.Inputs(i)) for i in range(operator.InputsLength()) if operator.Inputs(i) >= 0]
    output = graph.Tensors(operator.Outputs(0))
    types = [_TYPES[tensor.Type()] for tensor in (*operands[:2], output)]
    count = 0
    if name in MACS:
        weights = operands[1]
        count = MACS[name](_shape(weights), _shape(output))
    return Operation(
        op=name,
        tensor=output.Name().decode(),
        input=types[0] if operands else "",
        weights=types[1] if len(operands) > 1 else "",
        output=types[-1],
        macs=count,
        int8=set(types) == {"INT8"},
    )


def _shape(tensor: Any) -> Shape:
    return tuple(int(side) for side in tensor.ShapeAsNumpy())
