"""Inference with OpenVINO, on one thread: float networks from the same .tflite files that LiteRT runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
        from quantrift.core.networks.tflite_structure import input_tensors, output_tensors, whole

        data = content(path, (".tflite",), "openvino")
        if not whole(data):
            raise QuantriftError(f"{path}: not a readable .tflite file (no network in it); build it again")
        if _quantized(data):
            raise QuantriftError(f"{path}: is quantized, and OpenVINO rounds differently; run it with litert")
        with reading(path, "OpenVINO cannot run it", "run it with litert"):
            core = openvino.Core()
            model = core.read_model(str(path))
            made = request(core, model)
            # By numbers of tensors, as a file's own names stand at these.
            given, results = input_tensors(data), output_tensors(data)
            inputs = dict(zip(_numbers(given), by_name(path, model.inputs, _names(given)), strict=True))
            outputs = dict(zip(_numbers(results), by_name(path, model.outputs, _names(results)), strict=True))
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


def _numbers(tensors: Sequence[Mapping[str, Any]]) -> list[int]:
    return [int(one["index"]) for one in tensors]


def _names(tensors: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(one["name"]) for one in tensors]


def _quantized(data: bytes) -> bool:
    """Whether a .tflite file holds integers that stand for real numbers."""
    from ai_edge_litert import schema_py_generated as schema

    types = schema.TensorType
    integers = {types.INT8, types.UINT8, types.INT16, types.INT4}
    graph = schema.Model.GetRootAs(data, 0).Subgraphs(0)
    return any(graph.Tensors(number).Type() in integers for number in range(graph.TensorsLength()))


load = OpenVINO


def load_values(path: str | Path, batch: int = 256) -> OpenVINO:
    """The network in a file, which gives the values of all its outputs."""
    return OpenVINO(path, batch, values=True)
