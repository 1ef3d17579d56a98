"""Inference with OpenVINO, on one thread: float networks from the same .tflite files that LiteRT runs."""

from pathlib import Path

from quantrift.base import paths
from quantrift.base.errors import QuantriftError, on_one_line
from quantrift.models.graphs.input_order import order_at_end
from quantrift.models.graphs.openvino_start import details
from quantrift.models.libraries import content, library
from quantrift.models.openvino_requests import Requests, check_one_input, request

SUFFIXES: tuple[str, ...] = ()
"""It runs LiteRT's files, when asked to."""
PACKAGES = ("openvino",)
ORIGINAL, COMPRESSED = paths.ORIGINAL, None
WAYS = {".tflite": "openvino"}
HOW = "OpenVINO"


class OpenVINO(Requests):
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
        check_one_input(path, order_at_end(data))
        if _quantized(data):
            raise QuantriftError(f"{path}: is quantized, and OpenVINO rounds differently; run it with litert")
        try:
            core = openvino.Core()
            model = core.read_model(str(path))
            inputs, outputs = map(details, model.inputs), map(details, model.outputs)
            signature = tflite_signature(path, data, inputs, outputs)
            made = request(core, model)
        except RuntimeError as error:
            reason = on_one_line(error)
            raise QuantriftError(f"{path}: OpenVINO cannot run it ({reason}); run it with litert") from None
        super().__init__(path, signature, made, batch)


def _quantized(data: bytes) -> bool:
    """Whether a .tflite file holds integers that stand for real numbers."""
    from ai_edge_litert import schema_py_generated as schema

    types = schema.TensorType
    integers = {types.INT8, types.UINT8, types.INT16, types.INT4}
    graph = schema.Model.GetRootAs(data, 0).Subgraphs(0)
    return any(graph.Tensors(number).Type() in integers for number in range(graph.TensorsLength()))


load = OpenVINO
