"""Inference with OpenVINO, on one thread: float networks from the same .tflite files that LiteRT runs."""

from pathlib import Path

from quantrift.core.base import paths
from quantrift.core.base.errors import QuantriftError, reading
from quantrift.core.networks.graphs.openvino_start import details
from quantrift.core.networks.libraries import content, library
from quantrift.core.networks.openvino_requests import Requests, by_name, request

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

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if OpenVINO is not installed; if the file is missing, no network, quantized, or not one from
                images to logits.
        """
        path = Path(path)
        # First, as whoever lacks the library need not look for mistakes in the file.
        openvino = library("openvino", "openvino")
        from quantrift.core.networks.graphs.tflite_start import tflite_signature
        from quantrift.core.networks.tflite_graph import Graph, whole

        data = content(path, (".tflite",), "openvino")
        if not whole(data):
            raise QuantriftError(f"{path}: not a readable .tflite file (no network in it); build it again")
        if _quantized(data):
            raise QuantriftError(f"{path}: is quantized, and OpenVINO rounds differently; run it with litert")
        with reading(path, "OpenVINO cannot run it", "run it with litert"):
            core = openvino.Core()
            model = core.read_model(str(path))
            made = request(core, model)
            # By indices of tensors, as a file's own names stand at these.
            graph = Graph(data)
            inputs, outputs = (
                dict(zip([one.index for one in own], by_name(path, theirs, [one.name for one in own]), strict=True))
                for own, theirs in ((graph.inputs, model.inputs), (graph.outputs, model.outputs))
            )
            taken, gives = details(model.inputs), details(model.outputs)
            signature = tflite_signature(
                path,
                data,
                [taken[place] | {"index": number} for number, place in inputs.items()],
                [gives[place] | {"index": number} for number, place in outputs.items()],
                values,
            )
        places = [inputs[one.index] for one in signature.inputs]
        super().__init__(path, signature, made, batch, places, outputs)


def _quantized(data: bytes) -> bool:
    """Whether a .tflite file holds integers that stand for real numbers."""
    from quantrift.core.networks.tflite_graph import Graph

    return any(tensor.type in ("INT8", "UINT8", "INT16", "INT4") for tensor in Graph(data).tensors)


load = OpenVINO


def load_values(path: str | Path, batch: int = 256) -> OpenVINO:
    """The network in a file, which gives the values of all its outputs."""
    return OpenVINO(path, batch, values=True)
