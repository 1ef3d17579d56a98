"""Audit of a .tflite file: types of every operation, and the share of the multiply-accumulates in 8 bits.

Converters leave operations without an 8-bit kernel in float32 and say nothing (3-D convolutions, for one),
so that only the file itself tells whether a network is quantized. Reads the file's schema; runs nothing.
"""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import reading, refuse
from quantrift.core.base.grouped import grouped
from quantrift.core.networks.audits.contents import Contents, Held
from quantrift.core.networks.audits.tflite_contents import contents as of_tflite
from quantrift.core.networks.audits.tflite_contents import sides
from quantrift.core.networks.tflite_graph import whole

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
    name = "the model" if isinstance(model, bytes) else model
    # The schema's code trusts every offset and length in the file, and meets damage with whatever comes of it.
    with reading(name, "damaged .tflite file", "build it again"):
        content = model if isinstance(model, bytes) else model.read_bytes()
        refuse((not whole(content), f"{name}: not a .tflite file; build it again"))
        return report(of_tflite(content), name)


def report(found: Contents, name: object, kind: str = ".tflite") -> dict[str, Any]:
    """The audit of what a file holds; ``name`` and ``kind`` are for messages, and it raises as ``audit`` does."""
    ops, constants = _operations(found), _counted(found.constants)
    refuse((not ops, f"{name}: a {kind} file without operations; build it again"))
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
    return ", ".join(f"{len(macs)} x {name} ({100 * sum(macs):.1f} %)" for name, macs in shares.items())


def _mac_shares(ops: list[dict[str, Any]], macs: int) -> dict[str, float]:
    shares: Counter[str] = Counter()
    for op in (one for one in ops if one["macs"]):
        shares[" x ".join(dict.fromkeys((op["input"], op["weights"])))] += op["macs"]
    return {types: count / macs for types, count in sorted(shares.items())}


def _counted(constants: Sequence[Held]) -> dict[str, int]:
    """Type -> how many numbers of it the file holds; without 32-bit integers: biases of 8-bit layers, and shapes."""
    counts: Counter[str] = Counter()
    # Resize of .onnx files takes an empty constant for what is left out.
    for tensor in (one for one in constants if one.type in BITS and one.shape != (0,)):
        counts[tensor.type] += math.prod(sides(tensor))
    return dict(sorted(counts.items()))


def _operations(found: Contents) -> list[dict[str, Any]]:
    """The operations of a file, as ``audit`` gives them."""
    return [
        {
            "op": step.kind,
            "tensor": step.output.name,
            "input": types[0],
            "weights": types[1],
            "output": found.rounded(step.output).type,
            "macs": step.macs,
            "int8": step.int8,
        }
        for step in found.steps
        if step.kind != "QuantizeLinear"
        for types in [[*(found.rounded(one).type for one in step.inputs[:2]), "", ""]]
    ]
