"""Inference with OpenVINO, on one thread: float networks from the same .tflite files that LiteRT runs."""

from pathlib import Path
from typing import Any

import numpy as np

from quantrift.base import paths
from quantrift.base.errors import QuantriftError
from quantrift.models.batches import Batches
from quantrift.models.graphs.signature import described
from quantrift.models.libraries import content, library

SUFFIXES: tuple[str, ...] = ()
"""It runs LiteRT's files, when asked to."""
PACKAGES = ("openvino",)
ORIGINAL, COMPRESSED = paths.ORIGINAL, None
WAYS = {".tflite": "openvino"}
HOW = "OpenVINO"
SETTINGS = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    # Pinned, searches side by side would share one core.
    "ENABLE_CPU_PINNING": False,
    # Processors with 16-bit units would otherwise use them.
    "INFERENCE_PRECISION_HINT": "f32",
}


class OpenVINO(Batches):
    """A float network in a .tflite file, from images to logits.

    Results were bit-identical over all batch sizes tried (1 to 256), on one thread. Labels are LiteRT's, logits differ
    in the last bits.
    """

    def __init__(self, path: str | Path, batch: int = 256) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        Raises:
            QuantriftError: if OpenVINO is not installed; if the file is missing, no network, quantized, or not one from
                images to logits.
        """
        path = Path(path)
        # First, as whoever lacks the library need not look for mistakes in the file.
        openvino = library("openvino", "openvino")
        from quantrift.models.graphs.tflite_graph import whole
        from quantrift.models.graphs.tflite_start import tflite_signature

        data = content(path, (".tflite",), "openvino")
        if not whole(data):
            raise QuantriftError(f"{path}: not a readable .tflite file (no network in it); build it again")
        if _quantized(data):
            raise QuantriftError(f"{path}: is quantized, and OpenVINO rounds differently; run it with litert")
        try:
            core = openvino.Core()
            model = core.read_model(str(path))
            inputs, outputs = map(_details, model.inputs), map(_details, model.outputs)
            self.signature = tflite_signature(path, data, inputs, outputs)
            self._request = core.compile_model(model, "CPU", SETTINGS).create_infer_request()
        except RuntimeError as error:
            reason = " ".join(str(error).split())[:300]
            raise QuantriftError(f"{path}: OpenVINO cannot run it ({reason}); run it with litert") from None
        super().__init__(path, self.signature.image, self.signature.classes, batch, self.signature.rows)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        self._request.infer({0: self.signature.encoded(rows)}, share_inputs=True)
        return self.signature.decoded(self._request.get_output_tensor(0).data, len(rows))


def _details(port: Any) -> dict[str, Any]:
    """What ``signature`` wants to know of an input or output."""
    shape = [-1 if side.is_dynamic else side.get_length() for side in port.partial_shape]
    return described(shape, port.element_type.to_dtype().type)


def _quantized(data: bytes) -> bool:
    """Whether a .tflite file holds integers that stand for real numbers."""
    from ai_edge_litert import schema_py_generated as schema

    types = schema.TensorType
    integers = {types.INT8, types.UINT8, types.INT16, types.INT4}
    graph = schema.Model.GetRootAs(data, 0).Subgraphs(0)
    return any(graph.Tensors(number).Type() in integers for number in range(graph.TensorsLength()))


load = OpenVINO
