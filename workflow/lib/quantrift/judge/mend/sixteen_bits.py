"""Units in 16 bits in .onnx files: what ONNX Runtime's quantization is told about single tensors."""

from collections.abc import Collection, Mapping
from typing import Any

from quantrift.core.networks.foreign.onnx_graph import given_inputs
from quantrift.core.networks.libraries import library

IN_16, IN_8 = "QInt16", "QInt8"
Overrides = Mapping[str, list[dict[str, Any]]]
"""Name of a tensor -> how it is quantized, as JSON takes it."""


def overrides(graph: Any, names: Collection[str], weighted: Collection[str]) -> Overrides:
    """Weights and outputs of some nodes in 16 bits, and the network's input where they read it.

    Nodes in 8 bits that read such a value get it in 8 bits.

    Args:
        graph: of the float network, an ``onnx.GraphProto``.
        names: of the nodes.
        weighted: kinds of nodes whose second input may be weights.
    """
    stored = {one.name for one in graph.initializer}
    given = {one.name for one in given_inputs(graph)}
    told: dict[str, list[dict[str, Any]]] = {}
    for node in graph.node:
        if node.name not in names:
            continue
        if node.op_type in weighted and node.input[1] in stored:
            told[node.input[1]] = [{"quant_type": IN_16, "symmetric": True}]
        for value in (*node.output, *(one for one in node.input if one in given)):
            # A grid that begins at 0 cuts off what a Relu would; the library leaves that out then.
            how: dict[str, Any] = {"quant_type": IN_16, "symmetric": False}
            others = [one.name for one in graph.node if value in one.input and one.name not in names]
            if others:
                how["convert"] = {"quant_type": IN_8, "symmetric": False, "recv_nodes": others}
            told[value] = [how]
    return told


def as_library_takes(told: Overrides) -> dict[str, list[dict[str, Any]]]:
    """The same with the library's own types."""
    types = library("onnxruntime.quantization", "onnxruntime").QuantType

    def taken(how: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(how) | {"quant_type": types[how["quant_type"]]}
        if "convert" in how:
            found["convert"] = taken(how["convert"])
        if "recv_nodes" in how:
            found["recv_nodes"] = set(how["recv_nodes"])
        return found

    return {name: [taken(one) for one in entries] for name, entries in told.items()}
