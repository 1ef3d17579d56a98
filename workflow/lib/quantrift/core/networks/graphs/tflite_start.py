"""The graph in a given .tflite file, as a user chose its inputs and outputs; reads the file's schema, runs nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.networks import graph, tflite_graph
from quantrift.core.networks.graphs.choices import Choices, at_end
from quantrift.core.networks.graphs.first_operations import GivenGraph, Vocabulary
from quantrift.core.networks.graphs.signature import SIGMOID, SOFTMAX, Signature, signature


class GivenTFLite(tflite_graph.Graph, GivenGraph[int]):
    """The graph in a given .tflite file."""

    WORDS = Vocabulary(
        # Defined on (n, H, W, C) by the schema.
        spatial={"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"}
        | {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "DEPTH_TO_SPACE", "SPACE_TO_DEPTH", "SPACE_TO_BATCH_ND"}
        | {"CONV_3D"},
        sequences={"LSTM", "RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN", "WHILE"}
        | {"BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN"},
        tokens={"EMBEDDING_LOOKUP": 0, "GATHER": 1},
        means={"MEAN"},
        transposing={"TRANSPOSE"},
        shapes={"RESHAPE", "EXPAND_DIMS", "SQUEEZE"},
        unchanging={"QUANTIZE", "DEQUANTIZE", "CAST", "PAD", "PADV2", "MIRROR_PAD", "REVERSE_V2", "STRIDED_SLICE"},
        elementwise={"RELU", "RELU6", "RELU_N1_TO_1", "LEAKY_RELU", "TANH", "LOGISTIC", "HARD_SWISH", "MINIMUM"}
        | {"MAXIMUM", "ABS", "NEG", "SQRT", "RSQRT", "EXP", "LOG", "POW"},
        arithmetic={name: name for name in ("ADD", "SUB", "MUL", "DIV")},
        endings={SOFTMAX: SOFTMAX, SIGMOID: SIGMOID},
        data={"TRANSPOSE_CONV": 2},
    )

    def __init__(self, content: bytes) -> None:
        """Reads a file."""
        super().__init__(content)
        self.choices = Choices.of(at_end(content)[1])

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs: those of the file's signature, if it names each; else those of their tensors."""
        return self._names(self.inputs, "Inputs")

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs, likewise."""
        return self._names(self.outputs, "Outputs")

    @cached_property
    def changed(self) -> int:
        """Index of the tensor of the only input, or of the one that searches change."""
        return self.inputs[self.choices.changed(self.input_names)]

    @cached_property
    def compared(self) -> int:
        """Index of the tensor of the first output, or of the first that is compared."""
        wanted = self.choices.outputs[:1]
        places = [place for place, name in enumerate(self.output_names) if name in wanted]
        return self.outputs[(*places, 0)[0]] if self.outputs else 0

    @property
    def logits(self) -> int | None:
        """Index of the tensor that goes into the softmax at the end; ``None`` if there is none."""
        last = self.deciding(self.compared)
        return last.inputs[0] if last is not None and last.kind == SOFTMAX else None

    def sides(self, tensor: int) -> Sequence[int]:
        """See ``GivenGraph``."""
        return self.tensors[tensor].open_shape

    def shape(self, operation: graph.Operation[int], sizes: Sequence[int]) -> Sequence[int]:
        """See ``GivenGraph``."""
        given = self.tensors[operation.outputs[0]]
        # Sides that follow from open ones are 1 in the other shape.
        return given.open_shape if self.choices.sizes else given.shape

    def channels_last(self, operation: graph.Operation[int]) -> bool:
        """See ``GivenGraph``."""
        return True

    def _names(self, indices: Sequence[int], side: str) -> list[str]:
        said = {}
        if self.root.SignatureDefsLength():
            first = self.root.SignatureDefs(0)
            stated = map(getattr(first, side), range(getattr(first, f"{side}Length")()))
            said = {int(one.TensorIndex()): one.Name().decode(errors="replace") for one in stated}
        names = [said.get(index, "") for index in indices]
        unique = all(names) and len(set(names)) == len(names)
        return names if unique else [self.tensors[index].name for index in indices]


def tflite_signature(
    path: Path,
    content: bytes,
    inputs: Iterable[Mapping[str, Any]],
    outputs: Iterable[Mapping[str, Any]],
    values: bool = False,
    shapes: Callable[[list[np.ndarray]], Iterable[Sequence[int]]] | None = None,
) -> Signature:
    """The signature of a .tflite file.

    Args:
        path: for messages.
        content: of the file, which a runtime has accepted.
        inputs: details of the inputs, from that runtime.
        outputs: likewise of the outputs.
        values: whether outputs are taken as they are.
        shapes: tells the shapes of outputs, as for ``signature``.

    Raises:
        QuantriftError: as ``signature`` does.
    """
    found = GivenTFLite(content)
    taken, given = (
        [{**one, "name": name} for one, name in zip(details, names, strict=True)]
        for details, names in ((inputs, found.input_names), (outputs, found.output_names))
    )
    return signature(path, taken, given, found, found.choices, values, shapes)
