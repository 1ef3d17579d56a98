"""Inference with ONNX Runtime, on one thread: networks in .onnx files, ours or those of others."""

from pathlib import Path
from typing import Any

import numpy as np

from quantrift.config.errors import QuantriftError
from quantrift.models.foreign.onnx_graph import check_graph
from quantrift.models.runtimes.batches import Batches
from quantrift.models.runtimes.graph import SIGMOID, SOFTMAX
from quantrift.models.runtimes.libraries import library
from quantrift.models.runtimes.signature import described, signature

UNCHANGING = {"Cast", "DequantizeLinear", "Flatten", "Identity", "QuantizeLinear", "Reshape", "Squeeze"}
"""Operations that say the same as their input, in another type or shape."""
TYPES = {"tensor(float)": np.float32, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8}


class ONNXRuntime(Batches):
    """A network in an .onnx file, from images to logits.

    Images go in with their channels last or, where only the last two sides of an input are equal, first. Results were
    bit-identical over all batch sizes tried (1 to 256). A file for one batch size runs on that, filled up.
    """

    def __init__(self, path: str | Path, batch: int = 256) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        Raises:
            QuantriftError: if a library is not installed; if the file is missing, no network, or not one from images to
                logits.
        """
        path = Path(path)
        runtime = library("onnxruntime", "onnxruntime")
        ending = _ending(check_graph(path).graph)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Its warnings are about graphs, which the reader of a file cannot change.
        options.log_severity_level = 3
        try:
            self._session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        # The library has error classes of its own, one for each kind of damage.
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            raise QuantriftError(f"{path}: not a readable .onnx file ({reason}); export it again") from None
        inputs = [_details(tensor) for tensor in self._session.get_inputs()]
        outputs = [_details(tensor) for tensor in self._session.get_outputs()]
        self._first = _channels_first(inputs[0]["shape_signature"])
        if self._first:
            inputs[0] |= {key: inputs[0][key][[0, 2, 3, 1]] for key in ("shape", "shape_signature")}
        self._signature = signature(path, inputs, outputs, ending)
        self._name = self._session.get_inputs()[0].name
        super().__init__(path, self._signature.image, self._signature.classes, batch, self._signature.rows)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        values = self._signature.encoded(rows)
        if self._first:
            values = np.ascontiguousarray(np.moveaxis(values, 3, 1))
        try:
            found = self._session.run(None, {self._name: values})[0]
        # Sizes that fit only some inputs, or more memory than there is: each has an error class of its own.
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            raise QuantriftError(
                f"{self._path}: cannot be run on {len(rows)} inputs at once ({reason}); export it again"
            ) from None
        return self._signature.decoded(found, len(rows))


def _details(tensor: Any) -> dict[str, Any]:
    """What ``signature`` wants to know of an input or output; open sides have names or nothing for numbers."""
    shape = [side if isinstance(side, int) else -1 for side in tensor.shape]
    return described(shape, TYPES.get(tensor.type, np.object_))


def _channels_first(shape: np.ndarray) -> bool:
    """Whether an input of four sides is (n, C, H, W), which only square images tell."""
    return len(shape) == 4 and bool(shape[2] == shape[3] != shape[1])


def _ending(graph: Any) -> int | None:
    """The operation that decides the output, by its number in the schema of .tflite files, if it is of interest."""
    makers = {name: node for node in graph.node for name in node.output}
    name = graph.output[0].name
    while name in makers and makers[name].op_type in UNCHANGING:
        name = makers[name].input[0]
    return {"Softmax": SOFTMAX, "Sigmoid": SIGMOID}.get(makers[name].op_type) if name in makers else None
