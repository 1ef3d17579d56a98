"""A network that was made here with readable layers: a .tflite file on LiteRT that keeps every tensor, one thread."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quantrift.core.base.errors import QuantriftError, reading
from quantrift.core.networks.batches import check, runs
from quantrift.core.networks.layer_tensors import Layer, layers
from quantrift.core.networks.own.litert import Signature, own_signature

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


class Observed:
    """A network that was made here, in a .tflite file, from images to logits; its tensors can be read after a run."""

    def __init__(self, path: str | Path) -> None:
        """Loads ``path``.

        Raises:
            QuantriftError: if the file is missing, not a network, or not one that was made here.
        """
        # Layers of .onnx files are compared without LiteRT.
        from quantrift.core.networks.tflite_graph import whole

        self._path = Path(path)
        data = self._content()
        if not whole(data):
            raise QuantriftError(f"{path}: not a readable .tflite file (no network in it); build it again")
        with reading(path, "not a readable .tflite file", "build it again"):
            self._interpreter = keeping_all_tensors(self._path)
        self._signature, output = self._stated(data)
        self.input_shape = self._signature.row
        self.classes = self._signature.classes
        self.probabilities = self._signature.probabilities
        """Whether the file's output has been through a softmax."""
        self.layers = layers(data, self._interpreter.get_tensor_details(), self._signature.rows, output)
        """In the order in which they are computed, the network's output last."""
        if self.probabilities:
            # Their grid is not that of the logits.
            self.layers[-1] = replace(self.layers[-1], step=None)
        self.rows = self._signature.rows
        """Inputs that the file was built to take at once; 0 if any number."""
        self._rows = 0

    def _content(self) -> bytes:
        if not self._path.is_file():
            raise QuantriftError(f"{self._path}: no such file; build the model first")
        return self._path.read_bytes()

    def _stated(self, content: bytes) -> tuple[Signature, int]:
        """Signature and number of the output's tensor of a file of this content, which an interpreter has accepted."""
        found = own_signature(self._path, self._interpreter)
        return found, found.output

    def image(self, x: np.ndarray) -> np.ndarray:
        """The file's own input for ``x``, float32 (n, H, W, C)."""
        [only] = self._signature.fed(x)
        return only

    def runs(self, x: np.ndarray, batch: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """Run ``x``, float32 (n, H, W, C), at most ``batch`` of them at once.

        Yields the number of the first input of a run, how many inputs it has, and the logits of at least these,
        float32 (at least as many, K), bit-identical to ``LiteRT``'s; until the next run, ``numbers`` tells the rest.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        check(x, self._path, self.input_shape)
        for start, rows, count in runs(x, batch, self._signature.rows):
            with reading(self._path, "cannot be run", "build it again"):
                logits = self._run(rows)
            yield start, count, logits

    def _run(self, rows: np.ndarray) -> np.ndarray:
        [given] = self._signature.inputs
        if len(rows) != self._rows:
            # Strict works only for files that state an open batch.
            strict = not self._signature.rows
            self._interpreter.resize_tensor_input(given.index, (len(rows), *given.shape), strict=strict)
            self._interpreter.allocate_tensors()
            self._rows = len(rows)
        self._interpreter.set_tensor(given.index, self.image(rows))
        self._interpreter.invoke()
        return self._signature.result(self._interpreter.get_tensor, len(rows))

    def numbers(self, layer: Layer) -> np.ndarray:
        """Content of a layer's tensor after the last run, integers as they are: (at least as many rows as inputs, ...).

        It is the interpreter's own memory: release it before the next run.
        """
        view: np.ndarray = self._interpreter.tensor(layer.tensor)()
        return view

    def tensor_names(self) -> dict[str, str]:
        """Name of each tensor of a layer, as the file has it -> name of the layer."""
        names = {one["index"]: one["name"] for one in self._interpreter.get_tensor_details()}
        return {names[layer.tensor]: layer.name for layer in self.layers}
