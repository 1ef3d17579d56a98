"""Tensors of a .tflite file that are outputs of layers, from names and types alone; runs nothing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

Key = TypeVar("Key")
OUTPUT = "output"
"""Name of the network's own output; the converter's name for it does not tell its layer."""
TYPES = (np.float32, np.int8, np.uint8, np.int16)
"""Types of activations; others are shapes and indices."""


@dataclass(frozen=True)
class Layer:
    """The output of one layer."""

    name: str
    """Name of the Keras layer, or ``output``."""
    fused: tuple[str, ...]
    """Other layers that were fused with this one, and whose own outputs do not exist."""
    tensor: int
    """Its number in the file."""
    type: str
    """Type of its values, like ``float32`` or ``int8``."""
    step: float | None
    """Difference of two neighbouring values; ``None`` in float."""
    zero: int
    """The integer that stands for 0."""
    computed: bool = True
    """Whether it computes new values; a flattening does not."""


def of_each_input(operations: Iterable[tuple[Iterable[Key], Iterable[Key]]], inputs: Iterable[Key]) -> set[Key]:
    """Tensors of a graph that depend on its inputs; all others are constants, like weights that a file unpacks first.

    Args:
        operations: the tensors that each reads and gives, in the order of computation.
        inputs: of the graph.
    """
    found = set(inputs)
    for read, given in operations:
        if not found.isdisjoint(read):
            found.update(given)
    return found


def layers(content: bytes, details: Sequence[Mapping[str, Any]], rows: int, output: int) -> list[Layer]:
    """Layers of a file in the order in which they are computed, the output last.

    A converter names a tensor after the operations it comes from, ``network/layer/operation`` or, in old files,
    ``layer/operation`` each, the last of fused ones first in most cases. Keras's export puts one and the same number
    behind all names of layers, which is taken off again. Of several tensors of a layer, the one computed last stands
    for it.

    Args:
        content: of the file.
        details: of all its tensors, from an interpreter.
        rows: inputs that the file was built to take at once; 0 if any number.
        output: number of the tensor that holds the output.
    """
    # Only .tflite files need LiteRT's schema.
    from quantrift.core.networks.tflite_graph import UNCHANGING, Graph

    graph = Graph(content)
    by_number = {one["index"]: one for one in details}
    sides = [(one.inputs, one.outputs) for one in graph.operations]
    activations = of_each_input(sides, [one.index for one in graph.inputs])
    found: dict[str, Layer] = {}
    last = None
    for operation in graph.operations:
        for number in operation.outputs:
            one = by_number[number]
            if number == output:
                # Where only the border is float, the integers before it are what was computed.
                if operation.kind == "DEQUANTIZE":
                    one = by_number[operation.inputs[0]]
                    # Under the name of its layer it would stand there twice.
                    found = {name: layer for name, layer in found.items() if layer.tensor != one["index"]}
                last = replace(_layer(OUTPUT, (), one), tensor=number)
                continue
            if number not in activations:
                continue
            names = _names(one["name"])
            shape = one["shape_signature"]
            if names and one["dtype"] in TYPES and len(shape) and shape[0] == (rows or -1):
                before = found.pop(names[0], None)
                computed = operation.kind not in UNCHANGING or (before is not None and before.computed)
                found[names[0]] = replace(_layer(names[0], names[1:], one), computed=computed)
    if last is None:
        raise ValueError("no operation gives the output")
    return [*_without_number([*found.values()]), last]


def matched(original: Sequence[Layer], compressed: Sequence[Layer]) -> list[tuple[Layer, Layer]]:
    """Pairs of layers with the same name or, where none has it, the last one that the original's layer was fused
    into.
    """
    by_name = {name: layer for layer in compressed for name in layer.fused}
    by_name |= {layer.name: layer for layer in compressed}
    return [(layer, by_name[layer.name]) for layer in original if layer.name in by_name]


def _names(tensor: str) -> tuple[str, ...]:
    """Layers that the name of a tensor tells, each once."""
    paths = [path.split("/")[:-1] for path in tensor.split(";")]
    # Old converters leave out the name of the network.
    return tuple(dict.fromkeys(path[min(1, len(path) - 1)] for path in paths if path))


def _layer(name: str, fused: tuple[str, ...], details: Mapping[str, Any]) -> Layer:
    scale, zero = details["quantization"]
    return Layer(name, fused, details["index"], np.dtype(details["dtype"]).name, float(scale) or None, int(zero))


def _without_number(found: list[Layer]) -> list[Layer]:
    """Layers without the number behind their names, if all of them have the same."""
    numbers = {re.sub(r".*?(_\d+)?$", r"\1", name) for layer in found for name in (layer.name, *layer.fused)}
    if len(numbers) != 1:
        return found
    (number,) = numbers
    return [
        replace(
            layer,
            name=layer.name.removesuffix(number),
            fused=tuple(name.removesuffix(number) for name in layer.fused),
        )
        for layer in found
    ]
