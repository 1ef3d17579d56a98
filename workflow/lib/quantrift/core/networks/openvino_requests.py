"""Requests to OpenVINO, on one thread: what its runtimes share once a network is read."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.batches import Batches
from quantrift.core.networks.graphs.signature import Signature

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
    if missing := [name for name in names if name not in known]:
        raise QuantriftError(f"{path}: OpenVINO does not see '{missing[0]}' of it; run it another way")
    return [known[name] for name in names]


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
        return self.signature.result(self._result, len(rows))

    def _result(self, number: int) -> np.ndarray:
        place = number if self._outputs is None else self._outputs[number]
        found: np.ndarray = self._request.get_output_tensor(place).data
        return found
