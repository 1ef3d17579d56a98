"""Inference with ExecuTorch on a processor: networks in .pte files, as phones and small devices run them.

A .pte file tells the sizes of its input and outputs, and hides its operations in what was made for one kind of kernels.
So nothing tells the order of the axes, nor whether it ends in a softmax. It has no names either: inputs and outputs are
called by their places, those of inputs among the arguments of ``forward``.
"""

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import reading, refuse
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.batches import Batches
from quantrift.core.networks.graphs.choices import Choices, at_end
from quantrift.core.networks.graphs.ends import Ends, NamedInput
from quantrift.core.networks.graphs.signature import described, signature
from quantrift.core.networks.libraries import content, library

SUFFIXES = (".pte",)
PACKAGES = ("executorch", "torch")
ORIGINAL, COMPRESSED = "original.pte", "model.pte"
METHOD = "forward"
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
        # A method lives no longer than its program.
        self._program, self._method, notes = _loaded(path)
        inputs, outputs = _details(self._method)
        self.signature = signature(path, inputs, outputs, None, Choices.of(notes), values)
        self._places = [one.index for one in self.signature.inputs]
        together = max(self.signature.rows, 1)
        super().__init__(path, self.signature.row, self.signature.classes, together, together)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        torch = library("torch", "executorch")
        fed = dict(zip(self._places, self.signature.fed(rows), strict=True))
        found = self._method.execute([torch.from_numpy(np.ascontiguousarray(fed[place])) for place in sorted(fed)])
        return self.signature.result(lambda place: np.asarray(found[place]), len(rows))


load, load_values = ExecuTorch, partial(ExecuTorch, values=True)


def ends(path: Path) -> Ends:
    """See ``RuntimeModule``."""
    _, method, _ = _loaded(path)
    inputs, outputs = _details(method)
    named = [
        NamedInput(one["name"], tuple(map(int, one["shape_signature"][1:])), place, named=False)
        for place, one in enumerate(inputs)
    ]
    return Ends(named, [one["name"] for one in outputs])


def _loaded(path: Path) -> tuple[Any, Any, dict[str, str]]:
    """The program of a file, its method, and the notes behind the program.

    Raises:
        QuantriftError: ExecuTorch is not installed, or cannot read the file.
    """
    library("executorch", "executorch")
    with warnings.catch_warnings():
        # It says of itself that it may change.
        warnings.simplefilter("ignore")
        runtime = library("executorch.runtime", "executorch").Runtime.get()
    data = content(path, SUFFIXES, "executorch")
    check_unpacked(path, len(data))
    refuse((data[4:7] != b"ET1", f"{path}: not a readable .pte file (no program in it); export it again"))
    own, notes = at_end(data)
    with reading(path, "ExecuTorch cannot run it", "export it again"):
        program = runtime.load_program(own)
        refuse(
            (
                METHOD not in program.method_names,
                f"{path}: has no method '{METHOD}'; export a network that is called as one",
            ),
        )
        return program, program.load_method(METHOD), notes


def _details(method: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What ``signature`` wants to know of inputs and outputs, which are called by their places."""
    about = method.metadata
    inputs, outputs = (
        [
            described(list(one.sizes()), TYPES.get(one.dtype(), np.object_), name=f"{kind}_{place}", index=place)
            for place, one in enumerate(map(tensor, range(count)))
        ]
        for kind, tensor, count in (
            ("input", about.input_tensor_meta, about.num_inputs()),
            ("output", about.output_tensor_meta, about.num_outputs()),
        )
    )
    return inputs, outputs
