"""Inference with LiteRT and its XNNPACK kernels, on one thread.

One thread, because parallel searches are processes; XNNPACK, because the built-in kernels round int8
differently, so that one of them has to be fixed for results to be comparable.
"""

import struct
from pathlib import Path

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from quantrift.config.errors import QuantriftError


class LiteRT:
    """A network in a .tflite file with float32 inputs and outputs, whatever it computes with inside.

    Results are bit-identical over batch sizes and over how inputs are grouped into calls.
    """

    def __init__(self, path: str | Path, batch: int = 256) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        Raises:
            QuantriftError: if the file is missing, not a network, or not one from images to logits.
        """
        self._path = Path(path)
        self._batch = batch
        if not self._path.is_file():
            raise QuantriftError(f"{path}: no such file; build the model first")
        if not _whole(self._path.read_bytes()):
            raise QuantriftError(f"{path}: not a readable .tflite file (no network in it); build it again")
        try:
            self._interpreter = Interpreter(model_path=str(self._path), num_threads=1)
            inputs, outputs = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        except (ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise QuantriftError(f"{path}: not a readable .tflite file ({reason}); build it again") from None
        kinds = [(len(tensor["shape"]), tensor["dtype"]) for tensor in (*inputs, *outputs)]
        if len(inputs) != 1 or kinds != [(4, np.float32), (2, np.float32)]:
            raise QuantriftError(f"{path}: expected one float32 image as input and float32 logits as output")
        self._input, self._output = inputs[0]["index"], outputs[0]["index"]
        height, width, channels = (int(side) for side in inputs[0]["shape"][1:])
        self.input_shape = (height, width, channels)
        self.classes = int(outputs[0]["shape"][1])
        self._rows = 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K) in C order, of ``x``, float32 (n, H, W, C); n may be 0.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network was built for one batch size.
        """
        if x.shape[1:] != self.input_shape or x.dtype != np.float32:
            wanted = ", ".join(map(str, ("n", *self.input_shape)))
            raise QuantriftError(f"{self._path}: expected float32 inputs ({wanted}), got {x.dtype} {x.shape}")
        logits = np.empty((len(x), self.classes), np.float32)
        for start in range(0, len(x), self._batch):
            rows = np.ascontiguousarray(x[start : start + self._batch])
            self._resize(len(rows))
            try:
                self._interpreter.set_tensor(self._input, rows)
                self._interpreter.invoke()
                logits[start : start + len(rows)] = self._interpreter.get_tensor(self._output)
            except (ValueError, RuntimeError) as error:
                reason = " ".join(str(error).split())
                raise QuantriftError(f"{self._path}: cannot be run ({reason}); build it again") from None
        return logits

    def _resize(self, rows: int) -> None:
        if rows == self._rows:
            return
        try:
            self._interpreter.resize_tensor_input(self._input, (rows, *self.input_shape), strict=True)
            self._interpreter.allocate_tensors()
        except (ValueError, RuntimeError):
            raise QuantriftError(f"{self._path}: built for one batch size; convert it with an open batch") from None
        self._rows = rows


def _whole(content: bytes) -> bool:
    """Whether a file holds a network at all; the interpreter ends the whole process on one that does not."""
    try:
        if not schema.Model.ModelBufferHasIdentifier(content, 0):
            return False
        return bool(schema.Model.GetRootAs(content, 0).SubgraphsLength() > 0)
    except (struct.error, IndexError, ValueError, TypeError):
        return False
