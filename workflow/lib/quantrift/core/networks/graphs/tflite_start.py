"""The first operations of the graph in a .tflite file, and its signature; reads the file's schema, runs nothing."""

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.networks.graphs.first_operations import (
    Passes,
    Reads,
    Reshapes,
    Spatial,
    Start,
    Step,
    Transposes,
    linear,
    mean,
    start,
)
from quantrift.core.networks.graphs.signature import Signature, signature
from quantrift.core.networks.graphs.tflite_graph import (
    changed_input,
    choices,
    final_operator,
    input_names,
    output_names,
)
from quantrift.core.networks.tflite_buffers import stored
from quantrift.core.networks.tflite_structure import numbers, operation

_OPERATOR = schema.BuiltinOperator
_NAMES = {number: name for name, number in vars(_OPERATOR).items() if not name.startswith("_")}
_SPATIAL = {
    _OPERATOR.CONV_2D,
    _OPERATOR.DEPTHWISE_CONV_2D,
    _OPERATOR.TRANSPOSE_CONV,
    _OPERATOR.AVERAGE_POOL_2D,
    _OPERATOR.MAX_POOL_2D,
    _OPERATOR.L2_POOL_2D,
    _OPERATOR.RESIZE_BILINEAR,
    _OPERATOR.RESIZE_NEAREST_NEIGHBOR,
    _OPERATOR.DEPTH_TO_SPACE,
    _OPERATOR.SPACE_TO_DEPTH,
    _OPERATOR.SPACE_TO_BATCH_ND,
}
"""Defined on (n, H, W, C) by the schema."""
_SEQUENCES = {
    _OPERATOR.LSTM,
    _OPERATOR.RNN,
    _OPERATOR.UNIDIRECTIONAL_SEQUENCE_LSTM,
    _OPERATOR.UNIDIRECTIONAL_SEQUENCE_RNN,
    _OPERATOR.BIDIRECTIONAL_SEQUENCE_LSTM,
    _OPERATOR.BIDIRECTIONAL_SEQUENCE_RNN,
    _OPERATOR.WHILE,
}
_UNCHANGING = {_OPERATOR.QUANTIZE, _OPERATOR.DEQUANTIZE, _OPERATOR.CAST, _OPERATOR.PAD, _OPERATOR.PADV2}
_UNCHANGING |= {_OPERATOR.MIRROR_PAD, _OPERATOR.REVERSE_V2, _OPERATOR.STRIDED_SLICE}
_ELEMENTWISE = {_OPERATOR.RELU, _OPERATOR.RELU6, _OPERATOR.RELU_N1_TO_1, _OPERATOR.LEAKY_RELU, _OPERATOR.TANH}
_ELEMENTWISE |= {_OPERATOR.LOGISTIC, _OPERATOR.HARD_SWISH, _OPERATOR.MINIMUM, _OPERATOR.MAXIMUM, _OPERATOR.ABS}
_ELEMENTWISE |= {_OPERATOR.NEG, _OPERATOR.SQRT, _OPERATOR.RSQRT, _OPERATOR.EXP, _OPERATOR.LOG, _OPERATOR.POW}
_ARITHMETIC = {_OPERATOR.ADD, _OPERATOR.SUB, _OPERATOR.MUL, _OPERATOR.DIV}
_SHAPES = {_OPERATOR.RESHAPE, _OPERATOR.EXPAND_DIMS, _OPERATOR.SQUEEZE}
_TYPES = {
    schema.TensorType.FLOAT32: np.float32,
    schema.TensorType.FLOAT16: np.float16,
    schema.TensorType.INT8: np.int8,
    schema.TensorType.UINT8: np.uint8,
    schema.TensorType.INT16: np.int16,
    schema.TensorType.INT32: np.int32,
    schema.TensorType.INT64: np.int64,
}


def tflite_signature(
    path: Path,
    content: bytes,
    inputs: Iterable[Mapping[str, Any]],
    outputs: Iterable[Mapping[str, Any]],
    values: bool = False,
) -> Signature:
    """The signature of a .tflite file.

    Args:
        path: for messages.
        content: of the file, which a runtime has accepted.
        inputs: details of the inputs, from that runtime.
        outputs: likewise of the outputs.
        values: whether outputs are taken as they are.

    Raises:
        QuantriftError: as ``signature`` does.
    """
    given, results, chosen = list(inputs), list(outputs), choices(content)
    names = output_names(content, results)
    taken = [{**one, "name": name} for one, name in zip(given, input_names(content, given), strict=True)]
    compared = [{**results[place], "name": names[place]} for place in chosen.compared(path, names)]
    return signature(path, taken, compared, final_operator(content), tflite_start(content), chosen, values)


def tflite_start(content: bytes) -> Start:
    """Properties implied by the first operations on a file's input, the one that searches change.

    ``content`` is a file that an interpreter has accepted.
    """
    root = schema.Model.GetRootAs(content, 0)
    graph = root.Subgraphs(0)
    takers: dict[int, list[Any]] = {}
    for operator in map(graph.Operators, range(graph.OperatorsLength())):
        for number in set(map(int, numbers(operator.InputsAsNumpy()))):
            takers.setdefault(number, []).append(operator)

    def steps(tensor: Any, _: tuple[int, ...]) -> Iterator[Step]:
        for operator in takers.get(tensor, []):
            if (step := _step(root, graph, operator, tensor)) is not None:
                yield step

    given = changed_input(content)
    signed = graph.Tensors(given).ShapeSignatureAsNumpy()
    shape = signed if isinstance(signed, np.ndarray) else numbers(graph.Tensors(given).ShapeAsNumpy())
    return start(given, [int(side) for side in shape], steps)


def _step(root: Any, graph: Any, operator: Any, tensor: int) -> Step | None:
    kind = operation(root, operator)
    given = [int(number) for number in numbers(operator.InputsAsNumpy())]
    result = int(operator.Outputs(0)) if operator.OutputsLength() else -1
    if kind in _SPATIAL:
        return Spatial(_NAMES[kind], (1, 2), 3)
    if kind == _OPERATOR.CONV_3D:
        return Spatial(_NAMES[kind], (1, 2, 3), 4)
    if kind in _SEQUENCES:
        return Reads(_NAMES[kind], "sequence")
    if kind == _OPERATOR.EMBEDDING_LOOKUP or (kind == _OPERATOR.GATHER and given[1] == tensor):
        return Reads(_NAMES[kind], "tokens")
    if kind == _OPERATOR.MEAN:
        return _mean(root, graph, given)
    if kind == _OPERATOR.TRANSPOSE:
        axes = _constant(root, graph.Tensors(given[1]))
        return None if axes is None else Transposes(result, tuple(int(axis) for axis in axes))
    if kind in _SHAPES:
        return Reshapes(result, tuple(int(side) for side in numbers(graph.Tensors(result).ShapeAsNumpy())))
    if kind in _UNCHANGING:
        return Passes(result, np.ones(1), np.zeros(1))
    if kind in _ELEMENTWISE:
        return Passes(result)
    if kind in _ARITHMETIC and len(given) == 2:
        first = given[0] == tensor
        other = _constant(root, graph.Tensors(given[1] if first else given[0]))
        return linear(result, _NAMES[kind], other, first)
    return None


def _mean(root: Any, graph: Any, given: list[int]) -> Spatial | None:
    """A mean over two of three axes is one over space."""
    rank = len(numbers(graph.Tensors(given[0]).ShapeAsNumpy()))
    found = _constant(root, graph.Tensors(given[1]))
    return None if found is None else mean("MEAN", [int(axis) for axis in found.reshape(-1)], rank)


def _constant(root: Any, tensor: Any) -> np.ndarray | None:
    """Values of a constant, those that integers stand for; ``None`` for what is computed."""
    data = stored(root, tensor)
    if data is None or tensor.Type() not in _TYPES:
        return None
    values: np.ndarray = np.frombuffer(data.tobytes(), _TYPES[tensor.Type()])
    shape = [int(side) for side in numbers(tensor.ShapeAsNumpy())]
    if values.size != prod(shape):
        return None
    grid = tensor.Quantization()
    if grid is not None and grid.ScaleLength() == 1:
        zero = int(grid.ZeroPoint(0)) if grid.ZeroPointLength() else 0
        values = (values.astype(np.float64) - zero) * float(grid.Scale(0))
    return values.reshape(shape)
