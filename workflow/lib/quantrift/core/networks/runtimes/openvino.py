"""Inference with OpenVINO, on one thread: float networks from the same .tflite files that LiteRT runs."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import paths
from quantrift.core.base.errors import reading, refuse
from quantrift.core.networks.batches import Batches
from quantrift.core.networks.graphs.choices import Choices
from quantrift.core.networks.graphs.openvino_start import details
from quantrift.core.networks.graphs.signature import Signature
from quantrift.core.networks.libraries import content, library

SETTINGS = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    # Pinned, searches side by side would share one core.
    "ENABLE_CPU_PINNING": False,
    # Processors with 16-bit units would otherwise use them.
    "INFERENCE_PRECISION_HINT": "f32",
}


def request(core: Any, model: Any) -> Any:
    """A request to a model that ``core`` has read.

    Raises:
        RuntimeError: OpenVINO cannot run it.
    """
    return core.compile_model(model, "CPU", SETTINGS).create_infer_request()


def by_name(path: Path, ports: Sequence[Any], names: Sequence[str]) -> list[int]:
    """Places among a model's inputs, or outputs, of those of some names.

    Raises:
        QuantriftError: one is not there.
    """
    known = {name: place for place, port in enumerate(ports) for name in port.get_names()}
    refuse(
        *((name not in known, f"{path}: OpenVINO does not see '{name}' of it; run it another way") for name in names)
    )
    return [known[name] for name in names]


def reshaped(openvino: Any, model: Any, choices: Choices, place: int) -> None:
    """Give open sides of an input of ``model`` the sizes that were chosen, from which those of the outputs follow."""
    if choices.sizes:
        pairs = zip((0, *choices.sizes), model.inputs[place].partial_shape, strict=True)
        model.reshape({model.inputs[place]: openvino.PartialShape([size or side for size, side in pairs])})


class Requests(Batches):
    """A network on OpenVINO."""

    def __init__(
        self,
        path: Path,
        signature: Signature,
        made: Any,
        batch: int,
        inputs: Sequence[int],
        outputs: Mapping[int, int] | None = None,
    ) -> None:
        """Runs a request on at most some inputs at once, or on as many as the file is for.

        Args:
            path: for messages.
            signature: of the network.
            made: the request.
            batch: inputs at once.
            inputs: places in the request of the input that is changed and of the carried ones.
            outputs: number of an output in the signature -> its place in the request, where these differ.
        """
        self.signature = signature
        self._request, self._inputs, self._outputs = made, inputs, outputs
        super().__init__(path, signature.row, signature.classes, batch, signature.rows)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        self._request.infer(dict(zip(self._inputs, self.signature.fed(rows), strict=True)), share_inputs=True)
        places, tensor = self._outputs or {}, self._request.get_output_tensor
        return self.signature.result(lambda number: tensor(places.get(number, number)).data, len(rows))


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
        from quantrift.core.networks.graphs.tflite_start import GivenTFLite, tflite_signature
        from quantrift.core.networks.tflite_graph import Graph, whole

        data = content(path, (".tflite",), "openvino")
        refuse((not whole(data), f"{path}: not a readable .tflite file (no network in it); build it again"))
        graph = Graph(data)
        # Integers stand for real numbers.
        refuse(
            (
                any(tensor.type in ("INT8", "UINT8", "INT16", "INT4") for tensor in graph.tensors),
                f"{path}: is quantized, and OpenVINO rounds differently; run it with litert",
            ),
        )
        with reading(path, "OpenVINO cannot run it", "run it with litert"):
            core = openvino.Core()
            model = core.read_model(str(path))
            own = GivenTFLite(data)
            (place,) = by_name(path, model.inputs, [graph.tensors[own.changed].name])
            reshaped(openvino, model, own.choices, place)
            made = request(core, model)
            # By indices of tensors, as a file's own names stand at these.
            inputs, outputs = (
                dict(zip(own, by_name(path, theirs, [graph.tensors[index].name for index in own]), strict=True))
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
        super().__init__(path, signature, made, batch, [inputs[one.index] for one in signature.inputs], outputs)


load, load_values = OpenVINO, partial(OpenVINO, values=True)
