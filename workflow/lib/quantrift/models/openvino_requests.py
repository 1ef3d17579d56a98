"""Requests to OpenVINO, on one thread: what its runtimes share once a network is read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.base.errors import QuantriftError
from quantrift.models.batches import Batches
from quantrift.models.graphs.signature import Signature

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


def check_one_input(path: Path, order: Sequence[str] | None) -> None:
    """Refuse a file with the ``order`` of several inputs, as these requests have one.

    Raises:
        QuantriftError: one line.
    """
    if order is not None:
        raise QuantriftError(f"{path}: has {len(order)} inputs, and OpenVINO is given one here; run it another way")


class Requests(Batches):
    """A network on OpenVINO."""

    def __init__(self, path: Path, signature: Signature, made: Any, batch: int) -> None:
        """Runs the request ``made`` on at most ``batch`` inputs at once, or on as many as the file is for."""
        self.signature = signature
        self._request = made
        super().__init__(path, signature.image, signature.classes, batch, signature.rows)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        self._request.infer({0: self.signature.encoded(rows)}, share_inputs=True)
        return self.signature.result(lambda place: self._request.get_output_tensor(place).data, len(rows))
