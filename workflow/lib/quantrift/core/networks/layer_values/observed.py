"""A network that was made here with readable layers: a .tflite file on LiteRT that keeps every tensor, one thread."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quantrift.core.base.errors import reading
from quantrift.core.networks.batches import check, runs
from quantrift.core.networks.layer_tensors import layers
from quantrift.core.networks.own.litert import LiteRT

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter


def keeping_all_tensors(path: Path) -> "Interpreter":
    """An interpreter of a .tflite file whose tensors can be read after each run, on one thread.

    Raises:
        ValueError: the file cannot be read.
        RuntimeError: likewise.
    """
    from ai_edge_litert.interpreter import Interpreter

    with warnings.catch_warnings():
        # LiteRT warns of the memory that this takes, which is why few inputs are run at once.
        warnings.filterwarnings("ignore", "Warning: Enabling `experimental_preserve_all_tensors`")
        return Interpreter(model_path=str(path), num_threads=1, experimental_preserve_all_tensors=True)


class Observed(LiteRT):
    """A network that was made here, in a .tflite file, from images to logits; its tensors can be read after a run."""

    def _loaded(self) -> "Interpreter":
        return keeping_all_tensors(self._path)

    def _open(self, content: bytes, batch: int) -> None:
        # Layers of .onnx files are compared without LiteRT.
        from quantrift.core.networks.tflite_graph import Graph

        super()._open(content, batch)
        self.layers = layers(Graph(content), self.signature.rows, self.signature.result_index)
        """In the order in which they are computed, the network's output last."""
        if self.signature.probabilities:
            # Their grid is not that of the logits.
            self.layers[-1] = replace(self.layers[-1], step=None)

    def runs(self, x: np.ndarray, batch: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """Run ``x``, float32 (n, H, W, C), at most ``batch`` of them at once.

        Yields the number of the first input of a run, how many inputs it has, and the logits of at least these,
        float32 (at least as many, K), bit-identical to ``LiteRT``'s; until the next run, ``numbers`` tells the rest.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        check(x, self._path, self.input_shape)
        for start, rows, count in runs(x, batch, self.signature.rows):
            with reading(self._path, "cannot be run", "build it again"):
                logits = self._run(rows)
            yield start, count, logits

    def numbers(self, tensor: int) -> np.ndarray:
        """Content of a tensor after the last run, integers as they are: (at least as many rows as inputs, ...).

        It is the interpreter's own memory: release it before the next run.
        """
        return np.asarray(self._interpreter.tensor(tensor)())
