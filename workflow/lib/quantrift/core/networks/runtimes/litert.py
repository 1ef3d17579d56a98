"""Inference with LiteRT and its XNNPACK kernels, on one thread.

One thread, because parallel searches are processes; XNNPACK, because the built-in kernels round int8
differently, so that one of them has to be fixed for results to be comparable.
"""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from quantrift.core.base import paths
from quantrift.core.base.errors import QuantriftError, reading
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.batches import Batches
from quantrift.core.networks.graphs.ends import Ends
from quantrift.core.networks.graphs.named_inputs import NamedInput
from quantrift.core.networks.libraries import library
from quantrift.core.networks.probes import probes
from quantrift.core.networks.working_memory import largest, rows

if TYPE_CHECKING:
    import keras
    from ai_edge_litert.interpreter import Interpreter

    from quantrift.core.networks.graphs.carried_inputs import CarriedInput
    from quantrift.core.networks.graphs.signature import Tensor

SUFFIXES = (".tflite", ".lite")
"""Old converters left out a part."""
PACKAGES = ("ai-edge-litert",)
ORIGINAL, COMPRESSED = paths.ORIGINAL, paths.COMPRESSED
NAME = "litert"
"""Not written into the call that loads the library, where it would be taken for a package (``base.code_digests``)."""
WAYS = dict.fromkeys(SUFFIXES, "xnnpack")
HOW = "LiteRT with XNNPACK"


class LiteRT(Batches):
    """A network in a .tflite file, from images to logits, whatever it computes with inside.

    Results are bit-identical over batch sizes and over how inputs are grouped into calls. A file built for one batch
    size runs on others where that changes no bit, and on its own, filled up, where it does.
    """

    RESOLVER: ClassVar[str] = "AUTO"
    """Kernels: a name of ``OpResolverType``; with ``AUTO``, XNNPACK has its operations and optimized ones the rest."""

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once, or fewer where these need much memory.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if LiteRT is not installed; if the file is missing, not a network, not one from images to
                logits, or computes tensors above the limit on what is unpacked.
        """
        library("ai_edge_litert", NAME)
        self._path = Path(path)
        if not self._path.is_file():
            raise QuantriftError(f"{path}: no such file; build the model first")
        # The schema's code trusts every offset and length in the file, and meets damage with whatever comes of it.
        with reading(path, "not a readable .tflite file", "build it again"):
            self._open(batch, values)

    def _open(self, batch: int, values: bool) -> None:
        from quantrift.core.networks.graphs.tflite_graph import whole
        from quantrift.core.networks.graphs.tflite_start import tflite_signature

        content = self._path.read_bytes()
        if not whole(content):
            raise QuantriftError(f"{self._path}: not a readable .tflite file (no network in it); build it again")
        size = largest(content)
        check_unpacked(self._path, size)
        self._interpreter = self._loaded()
        details = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        self.signature = tflite_signature(self._path, content, *details, values)
        super().__init__(self._path, self.signature.row, self.signature.classes, rows(size, batch))
        self._rows = 0
        self._tensors: tuple[Tensor | CarriedInput, ...] = self.signature.inputs
        if self.signature.rows:
            self._try_batches()

    def release(self) -> None:
        """Give back the memory for activations of the last run; the next run takes it again."""
        self._interpreter, self._rows = self._loaded(), 0

    def _loaded(self) -> "Interpreter":
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        return Interpreter(
            model_path=str(self._path), num_threads=1, experimental_op_resolver_type=OpResolverType[self.RESOLVER]
        )

    def _run(self, rows: np.ndarray) -> np.ndarray:
        """See ``Batches``."""
        if len(rows) != self._rows:
            # Strict is for files that say themselves that their batch is open.
            strict = not self.signature.rows
            for tensor in self._tensors:
                self._interpreter.resize_tensor_input(tensor.index, (len(rows), *tensor.shape), strict=strict)
            self._interpreter.allocate_tensors()
            self._rows = len(rows)
        for tensor, values in zip(self._tensors, self.signature.fed(rows), strict=True):
            self._interpreter.set_tensor(tensor.index, values)
        self._interpreter.invoke()
        return self.signature.result(self._interpreter.get_tensor, len(rows))

    def _try_batches(self) -> None:
        """Find out whether a file built for one batch size may run on others."""
        probing = probes(self.signature)
        self._fixed = self.signature.rows
        expected = self(probing)
        self._fixed = 0
        try:
            same = self(probing).tobytes() == expected.tobytes()
        except QuantriftError:
            same = False
        if not same:
            self._fixed, self._rows, self._interpreter = self.signature.rows, 0, self._loaded()


load = LiteRT


def load_values(path: str | Path, batch: int = 256) -> LiteRT:
    """The network in a file, which gives the values of all its outputs."""
    return LiteRT(path, batch, values=True)


def widened(path: Path) -> list[str]:
    """See ``RuntimeModule``."""
    from ai_edge_litert import schema_py_generated as schema

    root, types = schema.Model.GetRootAs(path.read_bytes(), 0), schema.TensorType
    graphs = [root.Subgraphs(place) for place in range(root.SubgraphsLength())]
    found = {graph.Tensors(place).Type() for graph in graphs for place in range(graph.TensorsLength())}
    return [name for name, kind in (("float16", types.FLOAT16), ("bfloat16", types.BFLOAT16)) if kind in found]


def ends(path: Path) -> Ends:
    """See ``RuntimeModule``."""
    from ai_edge_litert import schema_py_generated as schema

    from quantrift.core.networks.graphs import tflite_graph

    content = path.read_bytes()
    tensors, results = tflite_graph.input_tensors(content), tflite_graph.output_tensors(content)
    graph = schema.Model.GetRootAs(content, 0).Subgraphs(0)
    shapes = [tflite_graph.numbers(graph.Tensors(one["index"]).ShapeAsNumpy()) for one in tensors]
    named = zip(tflite_graph.input_names(content, tensors), shapes, strict=True)
    inputs = [NamedInput(name, tuple(int(side) for side in shape[1:])) for name, shape in named]
    return Ends(inputs, tflite_graph.output_names(content, results))


def export(model: "keras.Model") -> bytes:
    """Content of the .tflite file of ``model``, float32, with an open batch."""
    from quantrift.core.networks.tflite_files import to_tflite

    return to_tflite(model)
