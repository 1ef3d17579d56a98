"""Networks made here, on LiteRT and its XNNPACK kernels, on one thread.

One thread, because parallel searches are processes; XNNPACK, because the built-in kernels round int8
differently, so that one of them has to be fixed for results to be comparable.

Files that are made here state all that there is to know: one float32 image in, float32 logits out, an open batch. So
nothing that reads given files stands behind this module, and a change there reruns no search (``runtimes.litert`` runs
given files).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from quantrift.core.base import paths
from quantrift.core.base.errors import QuantriftError, reading, refuse
from quantrift.core.networks.batches import Batches, largest, rows

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter

SUFFIXES = (".tflite", ".lite")
"""Old converters left out a part."""
PACKAGES = ("ai-edge-litert",)
ORIGINAL = paths.ORIGINAL


@dataclass(frozen=True)
class OwnSignature:
    """Signature of a file that was made here: float32 images in, float32 logits out, nothing to convert.

    That of a given file (``graphs.signature``) offers the same.
    """

    index: int
    """Index of the images in the interpreter."""
    shape: tuple[int, int, int]
    """Height, width and channels."""
    result_index: int
    """Index of the logits in the interpreter."""
    classes: int
    rows: int = 0
    """Inputs that the file was built to take at once; 0 if any number."""
    probabilities: bool = False
    """Whether the output has been through a softmax."""

    @property
    def inputs(self) -> "tuple[OwnSignature]":
        """All inputs of the file, of which this states index and shape."""
        return (self,)

    @property
    def row(self) -> tuple[int, int, int]:
        """Shape of one input as the network is called."""
        return self.shape

    def fed(self, rows: np.ndarray) -> list[np.ndarray]:
        """All inputs of the file for ``rows``, float32 (n, *row)."""
        return [rows]

    def result(self, tensor: Callable[[int], np.ndarray], rows: int) -> np.ndarray:
        """Logits, float32 (rows, K); ``tensor`` gives outputs by their index."""
        return tensor(self.result_index)


class LiteRT(Batches):
    """A network that was made here, in a .tflite file, from images to logits.

    Results are bit-identical over batch sizes and over how inputs are grouped into calls.
    """

    RESOLVER: ClassVar[str] = "AUTO"
    """Kernels: a name of ``OpResolverType``; with ``AUTO``, XNNPACK has its operations and optimized ones the rest."""
    signature: Any
    """``OwnSignature``, or what a given file has in its place."""

    def __init__(self, path: str | Path, batch: int = 256) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once, or fewer where these need much memory.

        Raises:
            QuantriftError: if the file is missing, not a network, or not one that was made here.
        """
        self._path = Path(path)
        refuse((not self._path.is_file(), f"{path}: no such file; build the model first"))
        # Which files a runtime is for is told without its library.
        from quantrift.core.networks.tflite_graph import whole

        # The schema's code trusts every offset and length in the file, and meets damage with whatever comes of it.
        with reading(path, "not a readable .tflite file", "build it again"):
            content = self._path.read_bytes()
            refuse((not whole(content), f"{path}: not a readable .tflite file (no network in it); build it again"))
            self._open(content, batch)

    def _open(self, content: bytes, batch: int) -> None:
        self._interpreter, self._rows = self._loaded(), 0
        self.signature = self._stated(content)
        super().__init__(self._path, self.signature.row, self.signature.classes, rows(largest(content), batch))

    def _stated(self, content: bytes) -> Any:
        """The signature of a file of this content, which an interpreter has accepted.

        Raises:
            QuantriftError: the file takes or gives something else than networks made here do.
        """
        inputs, outputs = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        sides = [tuple(int(side) for side in one["shape_signature"]) for one in (*inputs, *outputs)]
        types = {one["dtype"] for one in (*inputs, *outputs)}
        if (len(inputs), len(outputs), types) == (1, 1, {np.float32}) and [len(one) for one in sides] == [4, 2]:
            (batch, height, width, channels), (_, classes) = sides
            if batch == -1 and min(height, width, channels, classes) > 0:
                return OwnSignature(inputs[0]["index"], (height, width, channels), outputs[0]["index"], classes)
        raise QuantriftError(f"{self._path}: not a network that was made here; build it again")

    def release(self) -> None:
        """Give back the memory for activations of the last run; the next run takes it again."""
        self._interpreter, self._rows = self._loaded(), 0

    def _loaded(self) -> "Interpreter":
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        return Interpreter(
            model_path=str(self._path), num_threads=1, experimental_op_resolver_type=OpResolverType[self.RESOLVER]
        )

    def _run(self, rows: np.ndarray) -> np.ndarray:
        """See ``Batches``."""
        if len(rows) != self._rows:
            # Strict is for files that say themselves that their batch is open.
            strict = not self.signature.rows
            for tensor in self.signature.inputs:
                self._interpreter.resize_tensor_input(tensor.index, (len(rows), *tensor.shape), strict=strict)
            self._interpreter.allocate_tensors()
            self._rows = len(rows)
        for tensor, values in zip(self.signature.inputs, self.signature.fed(rows), strict=True):
            self._interpreter.set_tensor(tensor.index, values)
        self._interpreter.invoke()
        return self.signature.result(self._interpreter.get_tensor, len(rows))


load = LiteRT
