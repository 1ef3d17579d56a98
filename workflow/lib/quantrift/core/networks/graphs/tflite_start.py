"""The first operations of the graph in a .tflite file, and its signature; reads the file's schema, runs nothing."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

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
from quantrift.core.networks.graphs.tflite_ends import (
    changed_input,
    choices,
    final_operation,
    input_names,
    output_names,
)
from quantrift.core.networks.tflite_graph import Graph, Operation

_SPATIAL = {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"}
_SPATIAL |= {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "DEPTH_TO_SPACE", "SPACE_TO_DEPTH", "SPACE_TO_BATCH_ND"}
"""Defined on (n, H, W, C) by the schema."""
_SEQUENCES = {"LSTM", "RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN", "WHILE"}
_SEQUENCES |= {"BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN"}
_UNCHANGING = {"QUANTIZE", "DEQUANTIZE", "CAST", "PAD", "PADV2", "MIRROR_PAD", "REVERSE_V2", "STRIDED_SLICE"}
_ELEMENTWISE = {"RELU", "RELU6", "RELU_N1_TO_1", "LEAKY_RELU", "TANH", "LOGISTIC", "HARD_SWISH", "MINIMUM", "MAXIMUM"}
_ELEMENTWISE |= {"ABS", "NEG", "SQRT", "RSQRT", "EXP", "LOG", "POW"}
_ARITHMETIC = {"ADD", "SUB", "MUL", "DIV"}
_SHAPES = {"RESHAPE", "EXPAND_DIMS", "SQUEEZE"}


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
    return signature(path, taken, compared, final_operation(content), tflite_start(content), chosen, values)


def tflite_start(content: bytes) -> Start:
    """Properties implied by the first operations on a file's input, the one that searches change.

    ``content`` is a file that an interpreter has accepted.
    """
    graph = Graph(content)
    takers: dict[int, list[Operation]] = {}
    for operation in graph.operations:
        for index in set(operation.inputs):
            takers.setdefault(index, []).append(operation)

    def steps(tensor: Any, _: tuple[int, ...]) -> Iterator[Step]:
        for operation in takers.get(tensor, []):
            if (step := _step(graph, operation, tensor)) is not None:
                yield step

    given = changed_input(content)
    return start(given, list(graph.tensors[given].open_shape), steps)


def _step(graph: Graph, operation: Operation, tensor: int) -> Step | None:
    kind, given = operation.kind, [graph.tensors[index] for index in operation.inputs]
    result = operation.outputs[0] if operation.outputs else -1
    if kind in _SPATIAL:
        return Spatial(kind, (1, 2), 3)
    if kind == "CONV_3D":
        return Spatial(kind, (1, 2, 3), 4)
    if kind in _SEQUENCES:
        return Reads(kind, "sequence")
    if kind == "EMBEDDING_LOOKUP" or (kind == "GATHER" and operation.inputs[1] == tensor):
        return Reads(kind, "tokens")
    if kind == "MEAN":
        # A mean over two of three axes is one over space.
        axes = given[1].values
        return None if axes is None else mean(kind, [int(axis) for axis in axes.reshape(-1)], len(given[0].shape))
    if kind == "TRANSPOSE":
        axes = given[1].values
        return None if axes is None else Transposes(result, tuple(int(axis) for axis in axes))
    if kind in _SHAPES:
        return Reshapes(result, graph.tensors[result].shape)
    if kind in _UNCHANGING:
        return Passes(result, np.ones(1), np.zeros(1))
    if kind in _ELEMENTWISE:
        return Passes(result)
    if kind in _ARITHMETIC and len(given) == 2:
        first = operation.inputs[0] == tensor
        return linear(result, kind, given[1 if first else 0].values, first)
    return None
