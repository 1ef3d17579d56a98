"""Inference with ONNX Runtime, on one thread: networks in .onnx files, ours or those of others."""

import tempfile
import warnings
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from quantrift.core.networks.batches import Batches
from quantrift.core.networks.foreign.onnx_graph import check_graph, floats_of_16_bits, given_inputs, stored_beside
from quantrift.core.networks.graphs.choices import Choices
from quantrift.core.networks.graphs.ends import Ends
from quantrift.core.networks.graphs.named_inputs import NamedInput
from quantrift.core.networks.graphs.notes import of_onnx
from quantrift.core.networks.graphs.onnx_start import Grid, OnnxStart
from quantrift.core.networks.graphs.signature import INTEGERS, SIGMOID, SOFTMAX, described, signature
from quantrift.core.networks.libraries import library
from quantrift.core.networks.working_memory import rows

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
BETWEEN = 32
"""Times the size of an input that the largest tensor in between is taken to have."""
UNCHANGING = {"Cast", "DequantizeLinear", "Flatten", "Identity", "QuantizeLinear", "Reshape", "Squeeze"}
"""Operations that say the same as their input, in another type or shape."""
ENDINGS = {"Softmax": SOFTMAX, "QLinearSoftmax": SOFTMAX, "Sigmoid": SIGMOID, "QLinearSigmoid": SIGMOID}
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
        runtime = library("onnxruntime", "onnxruntime")
        model = check_graph(path)
        options = runtime.SessionOptions()
        options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, self.OPTIMIZATIONS)
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Its warnings are about graphs, which the reader of a file cannot change.
        options.log_severity_level = 3
        self._session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        given, results = self._session.get_inputs(), self._session.get_outputs()
        graph = OnnxStart(model.graph)
        inputs = [_details(tensor, graph.grid_of_input(tensor.name)) for tensor in given]
        outputs = [_details(tensor, graph.grid_of_output(tensor.name)) for tensor in results]
        outputs = [details | {"index": place} for place, details in enumerate(outputs)]
        choices = Choices.of(of_onnx(model))
        first = inputs[choices.changed([one["name"] for one in inputs])]
        start = graph.start(first["name"], first["shape_signature"].tolist())
        compared = [outputs[place] for place in choices.compared(path, [one["name"] for one in outputs])]
        self.signature = signature(path, inputs, compared, _ending(model), start, choices, values)
        self._name = first["name"]
        # What is computed in between is not known; most networks stay within as many times the size of an input.
        halves = floats_of_16_bits(model)
        together = rows(BETWEEN * 4 * prod(self.signature.row), TOGETHER if halves else batch)
        fixed = self.signature.rows or (together if halves else 0)
        super().__init__(path, self.signature.row, self.signature.classes, together, fixed)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        fed = dict(zip((self._name, *self.signature.carried_shapes), self.signature.fed(rows), strict=True))
        found = self._session.run(None, fed)
        return self.signature.result(found.__getitem__, len(rows))


load = ONNXRuntime


def load_values(path: str | Path, batch: int = 256) -> ONNXRuntime:
    """The network in a file, which gives the values of all its outputs."""
    return ONNXRuntime(path, batch, values=True)


def beside(path: Path, target: Path) -> Mapping[Path, Path]:
    """See ``RuntimeModule``."""
    return {file: target.with_name(file.name) for file in stored_beside(path, check_graph(path))}


def widened(path: Path) -> list[str]:
    """See ``RuntimeModule``."""
    return floats_of_16_bits(check_graph(path))


def ends(path: Path) -> Ends:
    """See ``RuntimeModule``."""
    graph = check_graph(path).graph
    inputs = [
        NamedInput(one.name, tuple(int(side.dim_value) or -1 for side in one.type.tensor_type.shape.dim[1:]))
        for one in given_inputs(graph)
    ]
    return Ends(inputs, [one.name for one in graph.output])


def compared_output(model: Any) -> str:
    """Name of the first output of an ``onnx.ModelProto``, or of the first that is compared."""
    return next(iter(Choices.of(of_onnx(model)).outputs), model.graph.output[0].name)


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


def _details(tensor: Any, grid: Grid | None) -> dict[str, Any]:
    """What ``signature`` wants to know of an input or output; open sides have names or nothing for numbers."""
    shape = [side if isinstance(side, int) else -1 for side in tensor.shape]
    dtype = TYPES.get(tensor.type, np.object_)
    return described(shape, dtype, grid if dtype in INTEGERS else None, tensor.name)


def _ending(model: Any) -> str | None:
    """The operation that decides the output, by its number in the schema of .tflite files, if it is of interest."""
    makers = {name: node for node in model.graph.node for name in node.output}
    name = compared_output(model)
    while name in makers and makers[name].op_type in UNCHANGING:
        name = makers[name].input[0]
    return ENDINGS.get(makers[name].op_type) if name in makers else None
