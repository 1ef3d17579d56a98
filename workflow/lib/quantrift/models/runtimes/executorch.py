"""Inference with ExecuTorch on a processor: networks in .pte files, as phones and small devices run them.

A .pte file tells the sizes of its input and outputs, and hides its operations in what was made for one kind of kernels.
So nothing tells the order of the axes, nor whether it ends in a softmax.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.base.errors import QuantriftError, on_one_line
from quantrift.base.limits import check_unpacked
from quantrift.models.batches import Batches
from quantrift.models.graphs.axis_order import mark_at_end, without_mark
from quantrift.models.graphs.first_operations import Start
from quantrift.models.graphs.signature import described, signature
from quantrift.models.libraries import content, library

SUFFIXES = (".pte",)
PACKAGES = ("executorch", "torch")
ORIGINAL, COMPRESSED = "original.pte", "model.pte"
METHOD = "forward"
MAGIC = b"ET1"
"""Bytes 4 to 6 of a .pte file."""
TYPES = {0: np.uint8, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.int64, 6: np.float32, 7: np.float64, 11: np.bool_}
"""Number of a type in the format -> type."""


class ExecuTorch(Batches):
    """A network in a .pte file, from images to logits.

    It runs on as many inputs at once as it was exported for, filled up; where that is open, on the most that it takes.
    """

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``; ``batch`` changes nothing.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if ExecuTorch is not installed; if the file is missing, damaged, asks for kernels that are
                not there, or is no network from images to logits.
        """
        path = Path(path)
        runtime = _runtime()
        data = content(path, SUFFIXES, "executorch")
        check_unpacked(path, len(data))
        if data[4:7] != MAGIC:
            raise QuantriftError(f"{path}: not a readable .pte file (no program in it); export it again")
        try:
            # Bytes behind the program are a mark, if there are any.
            self._program = runtime.load_program(without_mark(data))
            if METHOD not in self._program.method_names:
                raise QuantriftError(f"{path}: has no method '{METHOD}'; export a network that is called as one")
            self._method = self._program.load_method(METHOD)
            about = self._method.metadata
            inputs = [_details(about.input_tensor_meta(place)) for place in range(about.num_inputs())]
            outputs = [
                _details(about.output_tensor_meta(place)) | {"index": place} for place in range(about.num_outputs())
            ]
        except RuntimeError as error:
            raise QuantriftError(f"{path}: ExecuTorch cannot run it ({on_one_line(error)}); export it again") from None
        # The format has no names.
        names = [f"output_{place}" for place in range(len(outputs))] if values else None
        self.signature = signature(path, inputs, outputs, None, Start(), mark_at_end(data), names)
        together = max(self.signature.rows, 1)
        super().__init__(path, self.signature.image, self.signature.classes, together, together)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        torch = library("torch", "executorch")
        given = torch.from_numpy(np.ascontiguousarray(self.signature.encoded(rows)))
        found = self._method.execute([given])
        return self.signature.result(lambda place: np.asarray(found[place]), len(rows))


load = ExecuTorch


def load_values(path: str | Path, batch: int = 256) -> ExecuTorch:
    """The network in a file, which gives the values of all its outputs."""
    return ExecuTorch(path, batch, values=True)


def _runtime() -> Any:
    library("executorch", "executorch")
    with warnings.catch_warnings():
        # It says of itself that it may change.
        warnings.simplefilter("ignore")
        return library("executorch.runtime", "executorch").Runtime.get()


def _details(about: Any) -> dict[str, Any]:
    """What ``signature`` wants to know of an input or output."""
    return described(list(about.sizes()), TYPES.get(about.dtype(), np.object_))
