"""Inference with ONNX Runtime, on one thread: networks in .onnx files, ours or those of others."""

import tempfile
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from quantrift.core.networks.batches import Batches, rows_of
from quantrift.core.networks.foreign.onnx_graph import check_graph, session_of, stored_beside
from quantrift.core.networks.graphs.ends import Ends, NamedInput
from quantrift.core.networks.graphs.signature import INTEGERS, described, signature
from quantrift.core.networks.libraries import library

if TYPE_CHECKING:
    import keras

SUFFIXES = (".onnx",)
PACKAGES = ("onnxruntime",)
ORIGINAL, COMPRESSED = "original.onnx", "model.onnx"
WAYS = dict.fromkeys(SUFFIXES, "optimized")
HOW = "ONNX Runtime with all graph optimizations"
TOGETHER = 16
"""Inputs in each run of a network that computes in 16 bits: single ones run on other kernels than several, with other
last bits, so runs are filled up."""
TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(bool)": np.bool_,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
    "tensor(int16)": np.int16,
    "tensor(uint16)": np.uint16,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}


class ONNXRuntime(Batches):
    """A network in an .onnx file, from images to logits.

    Images go in with their channels where the first operation that is defined on channels has them, like a convolution;
    last where there is none. Results were bit-identical over all batch sizes tried (1 to 256), but for networks that
    hold floats in 16 bits. These and a file for one batch size run on as many at a time, filled up.
    """

    OPTIMIZATIONS: ClassVar[str] = "ORT_ENABLE_ALL"
    """Of the graph: a name of ``GraphOptimizationLevel``."""

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if a library is not installed; if the file is missing, no network, or not one from images to
                logits.
        """
        path = Path(path)
        library("onnxruntime", "onnxruntime")
        graph = check_graph(path)
        self._session = session_of(str(path), self.OPTIMIZATIONS)
        inputs = [_details(one, graph.integers_of_input(one.name)) for one in self._session.get_inputs()]
        outputs = [
            _details(one, graph.integers_of_output(one.name)) | {"index": place}
            for place, one in enumerate(self._session.get_outputs())
        ]
        self.signature = signature(path, inputs, outputs, graph, graph.choices, values, self._shapes)
        self._name = graph.changed
        halves = graph.floats_of_16_bits()
        together = rows_of(self.signature.row, TOGETHER if halves else batch)
        fixed = self.signature.rows or (together if halves else 0)
        super().__init__(path, self.signature.row, self.signature.classes, together, fixed)

    def _shapes(self, values: list[np.ndarray]) -> list[tuple[int, ...]]:
        """Shapes of all outputs for values of all inputs."""
        fed = {one.name: array for one, array in zip(self._session.get_inputs(), values, strict=True)}
        return [one.shape for one in self._session.run(None, fed)]

    def _run(self, rows: np.ndarray) -> np.ndarray:
        fed = dict(zip((self._name, *self.signature.carried_shapes), self.signature.fed(rows), strict=True))
        return self.signature.result(self._session.run(None, fed).__getitem__, len(rows))


load, load_values = ONNXRuntime, partial(ONNXRuntime, values=True)


def beside(path: Path, target: Path) -> Mapping[Path, Path]:
    """See ``RuntimeModule``."""
    return {file: target.with_name(file.name) for file in stored_beside(path, check_graph(path).model)}


def widened(path: Path) -> list[str]:
    """See ``RuntimeModule``."""
    return check_graph(path).floats_of_16_bits()


def ends(path: Path) -> Ends:
    """See ``RuntimeModule``."""
    graph = check_graph(path)
    return Ends([NamedInput(name, tuple(graph.sides(name)[1:])) for name in graph.inputs], graph.outputs)


def export(model: "keras.Model") -> bytes:
    """Content of the .onnx file of ``model``, float32, from the same inputs to the same outputs; the batch stays open.

    Raises:
        QuantriftError: if tf2onnx, through which Keras writes such files, is not installed.
    """
    # Keras itself would end with a message of its own.
    library("tf2onnx", "onnxruntime")
    import keras

    # Keras refuses networks that were never called, as ones from files are, unless it is told what they take.
    image = keras.InputSpec("float32", (None, *model.inputs[0].shape[1:]), name="image")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # Of the patch by which Keras makes tf2onnx work with numpy 2.
        warnings.filterwarnings("ignore", "In the future `np.object`", FutureWarning)
        path = Path(folder) / "model.onnx"
        model.export(path, format="onnx", verbose=False, input_signature=[image])
        return path.read_bytes()


def _details(tensor: Any, integers: tuple[np.dtype[Any], float, int] | None) -> dict[str, Any]:
    """What ``signature`` wants to know of an input or output; open sides have names or nothing for numbers."""
    dtype = TYPES.get(tensor.type, np.object_)
    sides = [side if isinstance(side, int) else -1 for side in tensor.shape]
    return described(sides, dtype, integers[1:] if integers and dtype in INTEGERS else None, tensor.name)
