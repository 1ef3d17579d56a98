"""Tensors of a .tflite file that are outputs of layers, from names and types alone; runs nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    # Only .tflite files need LiteRT's schema.
    from quantrift.core.networks.tflite_graph import Graph, Tensor

OUTPUT = "output"
"""Name of the network's own output; the converter's name for it does not tell its layer."""
TYPES = ("FLOAT32", "INT8", "UINT8", "INT16")
"""Types of activations; others are shapes and indices."""


@dataclass(frozen=True)
class Layer:
    """The output of one layer."""

    name: str
    """Name of the Keras layer, or ``output``."""
    fused: tuple[str, ...]
    """Other layers that were fused with this one, and whose own outputs do not exist."""
    tensor: Any
    """Its index in a .tflite file, its name in an .onnx file."""
    type: str
    """Type of its values, like ``float32`` or ``int8``."""
    step: float | None
    """Difference of two neighbouring values; ``None`` in float."""
    zero: int
    """The integer that stands for 0."""
    computed: bool = True
    """Whether it computes new values; a flattening does not."""

    def real(self, numbers: np.ndarray) -> np.ndarray:
        """The real numbers that the layer's numbers stand for, float32; a copy."""
        values = numbers.astype(np.float32)
        return values if self.step is None else (values - np.float32(self.zero)) * np.float32(self.step)


def layers(graph: "Graph", rows: int, output: int) -> list[Layer]:
    """Layers of a .tflite file in the order in which they are computed, the output last.

    A converter names a tensor after the operations it comes from, ``network/layer/operation`` or, in old files,
    ``layer/operation`` each, the last of fused ones first in most cases. Keras's export puts a number behind all names
    of layers, which is taken off again: ``conv_1`` of ``conv``, ``conv_1_2`` of ``conv_1``. Of several tensors of a
    layer, the one computed last stands for it.

    Args:
        graph: of the file.
        rows: inputs that the file was built to take at once; 0 if any number.
        output: index of the tensor that holds the output.
    """
    found: dict[str, Layer] = {}
    batch, activations = (rows or -1,), graph.activations
    last = None
    for operation in graph.operations:
        for tensor in (graph.tensors[index] for index in operation.outputs):
            names = _names(tensor.name)
            if tensor.index == output:
                # Where only the border is float, the integers before it are what was computed.
                if operation.kind == "DEQUANTIZE":
                    tensor = graph.tensors[operation.inputs[0]]
                    # Under the name of its layer it would stand there twice.
                    found = {name: layer for name, layer in found.items() if layer.tensor != tensor.index}
                last = replace(_layer(OUTPUT, (), tensor), tensor=output)
            elif names and tensor.type in TYPES and tensor.open_shape[:1] == batch and tensor.index in activations:
                before = found.pop(names[0], None)
                computed = operation.kind not in graph.UNCHANGING or (before is not None and before.computed)
                found[names[0]] = replace(_layer(names[0], names[1:], tensor), computed=computed)
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


def _layer(name: str, fused: tuple[str, ...], tensor: "Tensor") -> Layer:
    step, zero = (float(tensor.scales[0]), int(tensor.zeros[0])) if len(tensor.scales) == 1 else (None, 0)
    return Layer(name, fused, tensor.index, tensor.type.lower(), step, zero)


def _without_number(found: list[Layer]) -> list[Layer]:
    """Layers without the last number behind their names, if all of them have one and stay apart without it."""
    bare = {name: re.sub(r"_\d+$", "", name) for layer in found for name in (layer.name, *layer.fused)}
    if any(name == one for name, one in bare.items()) or len({*bare.values()}) < len(bare):
        return found
    return [replace(layer, name=bare[layer.name], fused=tuple(bare[name] for name in layer.fused)) for layer in found]
