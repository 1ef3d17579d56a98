"""Activations: every layer's output, from a .tflite file on LiteRT, on one thread."""

from pathlib import Path

import numpy as np

from quantrift.core.networks.layer_tensors import OUTPUT, Layer
from quantrift.core.networks.layer_values.given_observed import Observed


class Activations:
    """A network in a .tflite file, from images to the outputs of all its layers."""

    def __init__(self, path: str | Path, batch: int = 64) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once, whose activations are all in memory.

        Raises:
            QuantriftError: if the file is missing, not a network, or not one from images to logits.
        """
        self._network = Observed(path)
        self.input_shape = self._network.input_shape
        self.layers = self._network.layers
        """In the order in which they are computed, the network's output last."""
        self._batch = batch

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs by layer, float32 (n, ...), of ``x``, float32 (n, H, W, C), n > 0.

        Integers are turned into the real numbers they stand for. A convolution and the ReLU that was fused with it
        share an entry, with values after the ReLU. ``output`` holds the logits, bit-identical to ``LiteRT``'s.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        parts = [
            {layer.name: self._values(layer)[:count] for layer in self.layers[:-1]}
            | {OUTPUT: self._last(logits)[:count]}
            for _, count, logits in self._network.runs(x, self._batch)
        ]
        return {layer.name: np.concatenate([part[layer.name] for part in parts]) for layer in self.layers}

    def tensor_names(self) -> dict[str, str]:
        """Name of each tensor of a layer, as the file has it -> name of the layer."""
        return self._network.tensor_names()

    def _last(self, logits: np.ndarray) -> np.ndarray:
        """Values of ``output`` after a run that gave these logits."""
        return logits

    def _values(self, layer: Layer) -> np.ndarray:
        numbers = self._network.numbers(layer)
        if layer.step is None:
            return numbers.copy()
        return (numbers.astype(np.float32) - np.float32(layer.zero)) * np.float32(layer.step)
