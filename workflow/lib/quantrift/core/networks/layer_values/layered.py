"""Layers of networks for comparison: their values, the layers that each reads, and each layer alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from quantrift.core.networks.batches import runs
from quantrift.core.networks.layer_tensors import OUTPUT, Layer, matched
from quantrift.core.networks.layer_values.activations import Activations
from quantrift.core.networks.layer_values.cut_network import CutTFLite, logits_before, makers, reads
from quantrift.core.networks.layer_values.onnx_layers import LayeredONNX
from quantrift.core.networks.runtime import runtime_of

Alone = Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]]
"""From values of layers by name, float32 (n, ...), to the output of each layer for the values of those before it."""


class LayeredTFLite(Activations):
    """A .tflite file whose layers are compared."""

    def __init__(self, path: Path, batch: int) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        Raises:
            QuantriftError: as ``Activations`` does.
        """
        super().__init__(path, batch)
        self._content = path.read_bytes()
        # Logits before a softmax are compared, as logarithms of quantized probabilities are coarse.
        inner = logits_before(self._content)
        place = next((number for number, layer in enumerate(self.layers) if layer.tensor == inner), None)
        self._inner = place is not None
        self.gives_logits = self._inner or not self._network.probabilities
        """Whether ``output`` is the logits, and not logarithms of probabilities."""
        if place is not None:
            self.layers = [*self.layers[:place], replace(self.layers[place], name=OUTPUT)]

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """As of ``Activations``; ``output`` holds the logits, also of a network that ends in a softmax."""
        self._x = x
        return super().__call__(x)

    def _last(self, logits: np.ndarray) -> np.ndarray:
        return self._values(self.layers[-1]) if self._inner else logits

    def reads(self, layers: Sequence[Layer]) -> dict[str, tuple[str, ...]]:
        """Name of each of some layers -> names of those among them that it reads along the graph."""
        return reads(makers(self._content), {layer.name: layer.tensor for layer in layers})

    def alone(self, layers: Sequence[Layer]) -> Alone | None:
        """Each of some layers on values given from outside, and on the inputs of the last call.

        ``None`` if one of them holds no float32.
        """
        if any(layer.type != "float32" for layer in layers):
            return None
        tensors = {layer.name: layer.tensor for layer in layers}
        network = CutTFLite(self._content, list(tensors.values()))

        def run(values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
            x, parts = self._x, []
            # Their row numbers, so that all values are padded alike where the file takes a fixed number.
            for _, rows, count in runs(np.arange(len(x)), len(x), self._network.rows):
                given = {tensor: np.ascontiguousarray(values[name][rows]) for name, tensor in tensors.items()}
                found = network(self._network.image(x[rows]), given)
                parts.append({name: found[tensor][:count] for name, tensor in tensors.items()})
            return {name: np.concatenate([part[name] for part in parts]) for name in tensors}

        return run

    def matched(self, compressed: "LayeredTFLite") -> list[tuple[Layer, Layer]]:
        """Layers of this network and of a compressed one with the same name, in the order of this one.

        Each layer of the compressed network stands for the last one of those fused into it, which alone has the same
        values.
        """
        both_logits = self.gives_logits and compressed.gives_logits
        found: dict[int, tuple[Layer, Layer]] = {}
        for layer, match in matched(self.layers, compressed.layers):
            if layer.name != OUTPUT or both_logits:
                found.pop(match.tensor, None)
                found[match.tensor] = layer, match
        return list(found.values())


Layered = LayeredTFLite | LayeredONNX
SHOWN: dict[str, type[Layered]] = {"litert": LayeredTFLite, "onnxruntime": LayeredONNX}
"""Runtimes of the files whose layers can be seen."""


def layered(path: Path, batch: int) -> Layered:
    """The network in a .tflite or .onnx file, to be run on at most ``batch`` inputs at once.

    Raises:
        QuantriftError: if the file cannot be read, or is not a network from images to logits.
    """
    return SHOWN[runtime_of(path)](path, batch)


def pairs(original: Layered, compressed: Layered) -> list[tuple[Layer, Layer]]:
    """Layers of two networks with the same name, in the order of the original; none of files of two kinds."""
    if isinstance(original, LayeredTFLite) and isinstance(compressed, LayeredTFLite):
        return original.matched(compressed)
    if isinstance(original, LayeredONNX) and isinstance(compressed, LayeredONNX):
        return original.matched(compressed)
    return []
