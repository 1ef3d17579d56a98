"""Inference with LiteRT and its XNNPACK kernels, on one thread, of networks in given files."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quantrift.core.base import paths
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.batches import largest, rows_of
from quantrift.core.networks.foreign.requirements import probes
from quantrift.core.networks.graphs.ends import Ends, NamedInput
from quantrift.core.networks.graphs.signature import Signature
from quantrift.core.networks.libraries import library
from quantrift.core.networks.own import litert

if TYPE_CHECKING:
    import keras
    from ai_edge_litert.interpreter import Interpreter

SUFFIXES = litert.SUFFIXES
PACKAGES = litert.PACKAGES
ORIGINAL, COMPRESSED = paths.ORIGINAL, paths.COMPRESSED
NAME = "litert"
"""Not written into the call that loads the library, where it would be taken for a package (``base.code_digests``)."""
WAYS = dict.fromkeys(SUFFIXES, "xnnpack")
HOW = "LiteRT with XNNPACK"


class LiteRT(litert.LiteRT):
    """A network in a given .tflite file, from images to logits, whatever it computes with inside.

    A file built for one batch size runs on others where that changes no bit, and on its own, filled up, where it does.
    """

    signature: Signature

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once, or fewer where these need much memory.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if LiteRT is not installed; if the file is missing, not a network, not one from images to
                logits, or computes tensors above the limit on what is unpacked.
        """
        library("ai_edge_litert", NAME)
        self._values = values
        super().__init__(path, batch)

    def _open(self, content: bytes, batch: int) -> None:
        check_unpacked(self._path, largest(content))
        super()._open(content, batch)
        if self.signature.sizes:
            # The file tells no sizes of what is computed in between.
            self.batch = rows_of(self.signature.row, self.batch)
        if self.signature.rows:
            self._try_batches()

    def _stated(self, content: bytes) -> Signature:
        from quantrift.core.networks.graphs.tflite_start import tflite_signature

        details = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        return tflite_signature(self._path, content, *details, self._values, partial(shapes, self._interpreter))

    def _try_batches(self) -> None:
        """Find out whether a file built for one batch size may run on others."""
        probing = probes(self.signature)
        self.fixed = self.signature.rows
        expected = self(probing).tobytes()
        with suppress(QuantriftError):
            self.fixed = 0
            if self(probing).tobytes() == expected:
                return
        self.fixed = self.signature.rows
        self.release()


load, load_values = LiteRT, partial(LiteRT, values=True)


def shapes(interpreter: "Interpreter", values: list[np.ndarray]) -> list[tuple[int, ...]]:
    """Shapes of all outputs for values of all inputs."""
    inputs = interpreter.get_input_details()
    for one, array in zip(inputs, values, strict=True):
        interpreter.resize_tensor_input(one["index"], array.shape)
    interpreter.allocate_tensors()
    for one, array in zip(inputs, values, strict=True):
        interpreter.set_tensor(one["index"], array)
    interpreter.invoke()
    return [interpreter.get_tensor(one["index"]).shape for one in interpreter.get_output_details()]


def widened(path: Path) -> list[str]:
    """See ``RuntimeModule``."""
    from quantrift.core.networks.tflite_graph import graphs

    found = {tensor.type for graph in graphs(path.read_bytes()) for tensor in graph.tensors}
    return [name.lower() for name in ("FLOAT16", "BFLOAT16") if name in found]


def ends(path: Path) -> Ends:
    """See ``RuntimeModule``."""
    from quantrift.core.networks.graphs.tflite_start import GivenTFLite

    graph = GivenTFLite(path.read_bytes())
    named = zip(graph.input_names, graph.inputs, strict=True)
    return Ends([NamedInput(name, graph.tensors[index].shape[1:]) for name, index in named], graph.output_names)


def export(model: "keras.Model") -> bytes:
    """Content of the .tflite file of ``model``, float32, with an open batch."""
    from quantrift.core.networks.tflite_files import to_tflite

    return to_tflite(model)
