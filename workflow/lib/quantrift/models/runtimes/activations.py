"""What the layers of a network say: every layer's output, from a .tflite file on LiteRT, on one thread."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from quantrift.config.errors import QuantriftError
from quantrift.models.runtimes.batches import check, runs
from quantrift.models.runtimes.graph import final_operator, whole
from quantrift.models.runtimes.layers import OUTPUT, Layer, layers
from quantrift.models.runtimes.libraries import content
from quantrift.models.runtimes.signature import signature


class Activations:
    """A network in a .tflite file, from images to the outputs of all its layers."""

    def __init__(self, path: str | Path, batch: int = 64) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once, whose activations are all in memory.

        Raises:
            QuantriftError: if the file is missing, not a network, or not one from images to logits.
        """
        self._path = Path(path)
        data = content(self._path, (".tflite",), "litert")
        if not whole(data):
            raise QuantriftError(f"{path}: not a readable .tflite file (no network in it); build it again")
        try:
            with warnings.catch_warnings():
                # Of the memory that this takes, which is why batches are small here.
                warnings.filterwarnings("ignore", "Warning: Enabling `experimental_preserve_all_tensors`")
                self._interpreter = Interpreter(
                    model_path=str(path), num_threads=1, experimental_preserve_all_tensors=True
                )
        except (ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise QuantriftError(f"{path}: not a readable .tflite file ({reason}); build it again") from None
        details = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        self._signature = signature(self._path, *details, final_operator(data))
        self.input_shape = self._signature.image
        self.layers = layers(data, self._interpreter.get_tensor_details(), self._signature.rows)
        """In the order in which they are computed, the network's output last."""
        if self._signature.probabilities:
            # Their grid is not that of the logits that are told.
            self.layers[-1] = replace(self.layers[-1], step=None)
        self._batch = batch
        self._rows = 0

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs by layer, float32 (n, ...), of ``x``, float32 (n, H, W, C), n > 0.

        Integers are turned into the real numbers they stand for. A convolution and the ReLU that was fused with it
        share an entry, with values after the ReLU. ``output`` holds the logits, bit-identical to ``LiteRT``'s.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        check(x, self._path, self.input_shape)
        try:
            parts = [self._run(rows, count) for _, rows, count in runs(x, self._batch, self._signature.rows)]
        except (ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise QuantriftError(f"{self._path}: cannot be run ({reason}); build it again") from None
        return {layer.name: np.concatenate([part[layer.name] for part in parts]) for layer in self.layers}

    def _run(self, rows: np.ndarray, count: int) -> dict[str, np.ndarray]:
        given, result = self._signature.input, self._signature.output
        if len(rows) != self._rows:
            # Strict is for files that say themselves that their batch is open.
            strict = not self._signature.rows
            self._interpreter.resize_tensor_input(given.index, (len(rows), *given.shape), strict=strict)
            self._interpreter.allocate_tensors()
            self._rows = len(rows)
        self._interpreter.set_tensor(given.index, self._signature.encoded(rows))
        self._interpreter.invoke()
        found = {layer.name: self._values(layer)[:count] for layer in self.layers[:-1]}
        found[OUTPUT] = self._signature.decoded(self._interpreter.get_tensor(result.index), len(rows))[:count]
        return found

    def _values(self, layer: Layer) -> np.ndarray:
        values: np.ndarray = self._interpreter.get_tensor(layer.tensor)
        if layer.step is None:
            return values
        return (values.astype(np.float32) - np.float32(layer.zero)) * np.float32(layer.step)
