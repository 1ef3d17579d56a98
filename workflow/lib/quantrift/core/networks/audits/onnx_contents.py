"""Contents of an .onnx file: rounding written out (QDQ), operations on integers (QOperator), or both."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from quantrift.core.networks.audits.contents import EIGHT, Contents, Held, Step
from quantrift.core.networks.foreign.onnx_graph import OnnxGraph, attribute, with_data
from quantrift.core.networks.graph import Operation
from quantrift.core.networks.layer_values.onnx_layers import GRID, GRIDS
from quantrift.core.networks.libraries import library

CHANNELS = {
    **dict.fromkeys(("Conv", "FusedConv", "QLinearConv", "ConvInteger"), 0),
    "ConvTranspose": 1,
    **dict.fromkeys(("Gemm", "FusedGemm", "QGemm", "MatMul", "QLinearMatMul", "MatMulInteger"), -1),
    **dict.fromkeys(("FusedMatMul", "MatMulIntegerToFloat", "DynamicQuantizeMatMul"), -1),
}
"""Operation that multiplies -> axis of the outputs in its weights; those of ``Gemm`` may be turned."""
ZEROS = {"ConvInteger": 3, "MatMulInteger": 3, "DynamicQuantizeMatMul": 3, "MatMulIntegerToFloat": 5}
"""Operation on integers whose scales stand elsewhere -> place of the zero points of its weights."""
BIAS = {"QLinearConv": 8, "QGemm": 6, "DynamicQuantizeMatMul": 4, "MatMulIntegerToFloat": 6}
STANDARD = {
    **{"QGemm": "Gemm", "FusedConv": "Conv", "FusedGemm": "Gemm", "FusedMatMul": "MatMul"},
    **dict.fromkeys(("DynamicQuantizeMatMul", "MatMulIntegerToFloat"), "MatMul"),
    **dict.fromkeys(("Gelu", "QuickGelu"), "Identity"),
}
"""Operation of ONNX Runtime -> one of the standard whose result has the same shape."""


def contents(path: Path) -> Contents:
    """The contents of a file's graph; what stands within branches, loops and functions is left out.

    Raises:
        QuantriftError: as ``with_data`` does.
        Exception: of any class, where the file is damaged.
    """
    reader = _Reader(with_data(path))
    for one in reader.graph.operations:
        if one.outputs and one.kind != "Constant":
            reader.take(one)
    found = Contents(reader.steps, [reader.held(name) for name in reader.graph.tensors], reader.misread)
    for step in reader.steps:
        # What is quantized within the operation is float before it.
        first = 1 if step.kind == "DynamicQuantizeMatMul" else 0
        step.int8 = all(found.rounded(one).type in EIGHT for one in step.inputs[first:2])
    return found


class _Reader:
    """Reads nodes in the order of computation."""

    def __init__(self, graph: OnnxGraph) -> None:
        self.graph = graph
        self.steps: list[Step] = []
        self.misread: list[tuple[Held, Held]] = []
        self._stated, self._held = _inferred(graph), dict[str, Held]()

    def held(self, name: str) -> Held:
        """The tensor of a name."""
        if name not in self._held:
            stored = self.graph.constant(name)
            told = self._stated.get(name, ("", None)) if stored is None else (stored.dtype.name.upper(), stored.shape)
            self._held[name] = Held(name, told[0], told[1], stored)
        return self._held[name]

    def take(self, one: Operation[str]) -> None:
        """Take in a node."""
        kind, names, result = one.kind, one.inputs, one.outputs[0]
        along = attribute(one.table, "axis", 1)
        # Axis of the outputs in the weights; none of an operation that multiplies nothing.
        channels = 0 if attribute(one.table, "transB", 0) else CHANNELS.get(kind)
        if kind == "DequantizeLinear" or (kind == "Identity" and self.held(names[0]).numbers is not None):
            self._held[result] = self._read(names[0], names[1:3], along)
            return
        place = GRIDS.get(kind, GRID) if _on_integers(kind) else None
        inputs = [
            self.held(names[at])
            if place is None or at == BIAS.get(kind)
            else self._read(names[at], names[at + 1 : at + 3], channels or 0)
            for at in _operands(kind, names)
        ]
        output = self.held(result) if place is None else self._read(result, names[place : place + 2])
        if kind == "QuantizeLinear":
            output = self._read(result, names[1:3], along)
            output.name = inputs[0].name
            if inputs[0].numbers is not None and len(output.scales):
                offsets, scales = output.spread(inputs[0].numbers.ndim)
                output.numbers = np.rint(inputs[0].numbers / scales) + offsets
        elif kind in ZEROS:
            output.type = "INT32" if kind.endswith("Integer") else "FLOAT32"
            if (zeros := self._numbers(names[ZEROS[kind] :])) is not None:
                # Steps are counted, so that their size does not matter.
                inputs[1] = replace(inputs[1], scales=np.ones(len(zeros)), zeros=zeros, axis=channels or 0)
        elif kind in BIAS and len(inputs) > 2:
            # The format states no scale of its own for it.
            inputs[2] = replace(inputs[2], scales=inputs[0].scales * inputs[1].scales, zeros=np.zeros(1, int))
        self.steps.append(self._step(one, inputs, output, channels))

    def _step(self, one: Operation[str], inputs: Sequence[Held], output: Held, axis: int | None) -> Step:
        weights = inputs[1].shape if len(inputs) > 1 else None
        if axis is None or weights is None or len(weights) < 2:
            return Step(one.kind, inputs, output)
        given = inputs[0].shape if one.kind == "ConvTranspose" else output.shape
        of_each = math.prod(weights[1:]) if axis >= 0 else weights[-2]
        # Without a known shape, one position counts.
        positions = math.prod((given or ())[1:]) or math.prod(weights) // of_each
        return Step(
            one.kind,
            inputs,
            output,
            positions * of_each,
            channels=None if inputs[1].numbers is None else axis,
            depthwise=attribute(one.table, "group", 1) > 1 and weights[1] == 1,
            activated=one.kind.startswith("Fused"),
        )

    def _read(self, name: str, grid: Sequence[str], axis: int = 0) -> Held:
        """A tensor on the grid on which an operation reads or writes it, by the names of scales and zero points."""
        one, scales, zeros = self.held(name), self._numbers(grid), self._numbers(grid[1:])
        if scales is None:
            return one
        read = replace(
            one, scales=scales.astype(np.float64), zeros=np.zeros(1, int) if zeros is None else zeros, axis=axis
        )
        if one.numbers is None and not len(one.scales):
            # Operations that move integers leave them on the grid on which they are read next.
            one.scales, one.zeros, one.axis = read.scales, read.zeros, axis
        if (
            one.numbers is None
            and np.array_equal(one.scales, read.scales, equal_nan=True)
            and np.array_equal(one.zeros, read.zeros)
        ):
            return one
        self.misread += [(one, read)] * (one.numbers is None)
        return read

    def _numbers(self, names: Sequence[str]) -> np.ndarray | None:
        stored = self.graph.constant(names[0]) if names and names[0] else None
        # Blocks with scales of their own are no grid that anything here is held against.
        return None if stored is None or stored.ndim > 1 else np.ravel(stored)


def _on_integers(kind: str) -> bool:
    return kind.startswith("QLinear") or kind == "QGemm"


def _operands(kind: str, names: Sequence[str]) -> list[int]:
    """Places of what a node computes on, without scales and zero points."""
    places = [*range(2 if kind == "QLinearConcat" else 0, len(names), 3 if kind == "QLinearConcat" else 1)]
    if kind in ZEROS or (_on_integers(kind) and kind != "QLinearConcat"):
        places = [*((0, 1) if kind in ZEROS else range(0, GRIDS.get(kind, GRID) - 1, 3)), BIAS.get(kind, len(names))]
    return [at for at in places[: 1 if kind == "QuantizeLinear" else None] if at < len(names) and names[at]]


def _inferred(graph: OnnxGraph) -> dict[str, tuple[str, tuple[int, ...] | None]]:
    """Name of each tensor that is computed, as far as that can be told -> its type and shape, 1 for open sides."""
    model, onnx = graph.copied(), library("onnx.shape_inference", "onnxruntime")
    for node in model.graph.node:
        if _on_integers(node.op_type) or node.op_type in STANDARD:
            given = [node.input[at] for at in _operands(node.op_type, node.input)]
            node.input[:] = given
            node.op_type, node.domain = STANDARD.get(node.op_type, node.op_type.removeprefix("QLinear")), ""
    found = onnx.infer_shapes(model, data_prop=True).graph
    numpy_type = library("onnx.helper", "onnxruntime").tensor_dtype_to_np_dtype
    return {
        one.name: (
            numpy_type(kind.elem_type).name.upper(),
            tuple(side.dim_value or 1 for side in kind.shape.dim) if kind.HasField("shape") else None,
        )
        for one in (*found.value_info, *found.input, *found.output)
        for kind in [one.type.tensor_type]
        if kind.elem_type
    }
