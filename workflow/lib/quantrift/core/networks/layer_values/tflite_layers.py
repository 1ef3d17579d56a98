"""Layers and neurons of networks in given .tflite files, on LiteRT, on one thread."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from quantrift.core.networks.graphs.signature import Signature
from quantrift.core.networks.layer_tensors import OUTPUT, Layer, matched
from quantrift.core.networks.layer_values import neurons, observed
from quantrift.core.networks.layer_values.layered import Layered, together
from quantrift.core.networks.libraries import content
from quantrift.core.networks.runtimes.litert import SUFFIXES, shapes


class Observed(observed.Observed):
    """A network in a given .tflite file, from images to logits, whose tensors can be read after each run."""

    def __init__(self, path: str | Path, values: bool = False) -> None:
        """Loads ``path``, a file of a network from images to logits, or to the ``values`` of its output."""
        content(Path(path), SUFFIXES, "litert")
        self._values = values
        super().__init__(path)

    def _stated(self, content: bytes) -> Signature:
        from quantrift.core.networks.graphs.tflite_start import tflite_signature

        inputs, outputs = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        found = tflite_signature(self._path, content, inputs, outputs, self._values, partial(shapes, self._interpreter))
        return found if found.values is None else replace(found, output=found.values.each[0])


Neurons = partial(neurons.Neurons, observed=Observed)
"""A network in a given .tflite file, from images to its logits and the values of its neurons."""


class LayeredTFLite(Layered):
    """A .tflite file whose layers are compared."""

    def __init__(self, path: str | Path, batch: int = 64, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once, whose activations are all in memory.

        With ``values`` its only output is taken as it is, and not as logits.

        Raises:
            QuantriftError: if the file is missing, not a network, or not one from images to logits.
        """
        from quantrift.core.networks.graphs.tflite_start import GivenTFLite

        self.network = Observed(path, values)
        self.batch, self.rows = batch, self.network.signature.rows
        self._content = Path(path).read_bytes()
        self.layers, self.graph = self.network.layers, GivenTFLite(self._content)
        # Logits before a softmax are compared, as logarithms of quantized probabilities are coarse.
        logits = None if values else self.graph.logits
        place = next((place for place, one in enumerate(self.layers) if one.tensor == logits), None)
        self._inner = place is not None
        self.gives_logits = self._inner or not self.network.signature.probabilities
        """Whether ``output`` is the logits, and not logarithms of probabilities."""
        if place is not None:
            self.layers = [*self.layers[:place], replace(self.layers[place], name=OUTPUT)]

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """See ``Layered``; ``output`` holds the logits, bit-identical to ``LiteRT``'s, also before a softmax.

        Integers are turned into the real numbers they stand for. A convolution and the ReLU that was fused with it
        share an entry, with values after the ReLU.
        """
        parts = []
        for _, count, logits in self.network.runs(x, self.batch):
            part = {layer.name: layer.real(self.network.numbers(layer.tensor)) for layer in self.layers}
            parts.append(
                {name: one[:count] for name, one in (part if self._inner else part | {OUTPUT: logits}).items()}
            )
        return together(parts)

    def tensor_names(self) -> dict[str, str]:
        """Name of each tensor of a layer, as the file has it -> name of the layer."""
        return {self.graph.tensors[layer.tensor].name: layer.name for layer in self.layers}

    def cut(self, tensors: Sequence[int]) -> "CutTFLite":
        """See ``Layered``."""
        return CutTFLite(self._content, tensors)

    def matched(self, compressed: "LayeredTFLite") -> list[tuple[Layer, Layer]]:
        """Layers of this network and of a compressed one with the same name, in the order of this one.

        Each layer of the compressed network stands for the last one of those fused into it, which alone has the same
        values.
        """
        found: dict[int, tuple[Layer, Layer]] = {}
        for layer, match in matched(self.layers, compressed.layers):
            if layer.name != OUTPUT or (self.gives_logits and compressed.gives_logits):
                found.pop(match.tensor, None)
                found[match.tensor] = layer, match
        return list(found.values())


class CutTFLite:
    """A float .tflite network, cut behind some of its tensors (``layered.Cut``)."""

    def __init__(self, content: bytes, tensors: Sequence[int]) -> None:
        """Loads the network.

        Args:
            content: of the file, which an interpreter has accepted.
            tensors: numbers of the float32 tensors behind which it is cut, each the output of an operation.
        """
        from ai_edge_litert.interpreter import Interpreter

        from quantrift.core.networks.tflite_graph import packed, with_all_buffers

        model = with_all_buffers(content)
        graph = model.subgraphs[0]
        self._image = int(graph.inputs[0])
        read = {int(one) for operator in graph.operators for one in operator.inputs}
        self._given = [tensor for tensor in tensors if tensor in read]
        self._own = {tensor: len(graph.tensors) + place for place, tensor in enumerate(tensors)}
        graph.tensors += [graph.tensors[tensor] for tensor in tensors]
        for operator in graph.operators:
            operator.outputs = [self._own.get(int(one), int(one)) for one in operator.outputs]
        graph.inputs, graph.outputs = [self._image, *self._given], [*self._own.values()]
        # They name inputs and outputs that no longer exist.
        model.signatureDefs = []
        self._interpreter = Interpreter(model_content=packed(model), num_threads=1)
        self._rows = 0

    def __call__(self, image: np.ndarray, values: Mapping[int, np.ndarray]) -> dict[int, np.ndarray]:
        """Output of each layer for the values of the layers before it: float32 (n, ...) by number of its tensor.

        Args:
            image: the file's input, (n, ...).
            values: float32 (n, ...) for each tensor behind which the network is cut.

        Raises:
            ValueError: if it cannot be run on them.
            RuntimeError: likewise.
        """
        given = {self._image: image} | {tensor: values[tensor] for tensor in self._given}
        if len(image) != self._rows:
            for tensor, value in given.items():
                self._interpreter.resize_tensor_input(tensor, value.shape, strict=False)
            self._interpreter.allocate_tensors()
            self._rows = len(image)
        for tensor, value in given.items():
            self._interpreter.set_tensor(tensor, value)
        self._interpreter.invoke()
        return {tensor: self._interpreter.get_tensor(own) for tensor, own in self._own.items()}
