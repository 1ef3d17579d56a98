"""Networks in files of users, made ready to run: which runtime reads them, and what had to be converted."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.compression.audit import BITS, audit
from quantrift.config.errors import QuantriftError
from quantrift.config.model_files import TFLITE
from quantrift.models.foreign.onnx_graph import check_graph
from quantrift.models.foreign.reader import ForeignFiles
from quantrift.models.runtimes.libraries import library
from quantrift.models.runtimes.load import load_runtime, runtime_of
from quantrift.models.runtimes.protocol import Runtime

KERAS = (".keras", ".h5")
ONNX = ".onnx"
COMPRESSED = (*TFLITE, ONNX)
CONVERTED = "original.tflite"


@dataclass(frozen=True, eq=False)
class Ready:
    """A network that runs."""

    given: Path
    """What its owner calls it: a file, or the folder of a SavedModel."""
    path: Path
    """.tflite or .onnx; another file where that was converted."""
    runtime: str
    """What runs it, by its name in ``quantrift.models.runtimes``."""
    network: Runtime
    assumed: list[str]
    """What was found out, one line each."""
    source: Callable[[np.ndarray], np.ndarray] | None = None
    """What it was converted from, if that can be run: inputs, float32 (n, H, W, C), to logits (n, K)."""

    @cached_property
    def probabilities(self) -> bool:
        """Whether the file ends in a softmax: its logits are then logarithms less the largest of the row."""
        probe = np.random.default_rng(0).random((8, *self.network.input_shape)).astype(np.float32)
        return bool((self.network(probe).max(axis=1) == 0).all())


def original(path: Path, folder: Path, files: ForeignFiles) -> Ready:
    """The network that a user calls the original: ``.keras``, ``.h5``, a SavedModel, ``.tflite`` or ``.onnx``.

    Networks of Keras and SavedModels are converted to float32 TensorFlow Lite, as the workflow does it.

    Args:
        path: the file, or the folder of a SavedModel.
        folder: where ``original.tflite`` is written, if the network is converted.
        files: what reads it; ``source`` of the result runs there, as long as that is open.

    Raises:
        QuantriftError: if it cannot be read, converted or run, or is not one from one image to logits or a softmax.
    """
    if path.is_dir():
        if not (path / "saved_model.pb").is_file():
            raise QuantriftError(f"{path}: a folder without saved_model.pb; name a SavedModel or a network's file")
        files.convert_saved_model(path, folder / CONVERTED)
        return _converted(path, folder / CONVERTED, "a SavedModel")
    if path.suffix in KERAS:
        files.convert_keras(path, folder / CONVERTED)
        return _converted(path, folder / CONVERTED, "Keras", lambda inputs: files.predict(path, inputs))
    if path.suffix not in COMPRESSED:
        raise QuantriftError(
            f"{path}: originals are read from {', '.join((*KERAS, *COMPRESSED))} and SavedModels; export it as one"
        )
    return _tried(path, files)


def compressed(path: Path, files: ForeignFiles) -> Ready:
    """The network that a user calls compressed: ``.tflite`` or ``.onnx``.

    Raises:
        QuantriftError: as ``original`` does; and for what only originals are, like Keras files.
    """
    if path.is_dir() or path.suffix in KERAS:
        raise QuantriftError(
            f"{path}: given as compressed, but compressed networks are {' or '.join(COMPRESSED)} files; were "
            "--original and --compressed exchanged?"
        )
    if path.suffix not in COMPRESSED:
        raise QuantriftError(f"{path}: compressed networks are {' or '.join(COMPRESSED)} files; export it as one")
    return _tried(path, files)


def check_fit(first: Ready, second: Ready) -> None:
    """Refuse two networks that are not for the same inputs and classes.

    Raises:
        QuantriftError: one line, with the difference.
    """
    one, other = first.network, second.network
    if one.classes != other.classes:
        raise QuantriftError(
            f"{second.given}: tells {other.classes} classes, {first.given.name} tells {one.classes}; "
            "name a compressed version of the same network"
        )
    if one.input_shape != other.input_shape:
        raise QuantriftError(
            f"{second.given}: takes inputs {other.input_shape}, {first.given.name} takes {one.input_shape}; "
            "name a compressed version of the same network"
        )


def check_not_swapped(first: Ready, second: Ready) -> str | None:
    """Refuse an original that is quantized beside a compressed network that is not; what to say if both are.

    Raises:
        QuantriftError: the two seem to be exchanged.
    """
    before, after = stored_in_8_bits(first.path), stored_in_8_bits(second.path)
    if before > 0.5 > after:
        raise QuantriftError(
            f"{first.given}: given as original, but {before:.0%} of its numbers have 8 bits or less, against "
            f"{after:.0%} in {second.given.name}; exchange --original and --compressed"
        )
    if before > 0.5:
        return f"original: {before:.0%} of its numbers have 8 bits or less themselves; differences are against that"
    return None


def stored_in_8_bits(path: Path) -> float:
    """Share of the numbers in a .tflite or .onnx file, biases of 32 bits aside, that have at most 8 bits."""
    if path.suffix == ONNX:
        onnx = library("onnx", "onnxruntime")
        types = onnx.TensorProto
        small = {types.INT8, types.UINT8, types.INT4, types.UINT4}
        counted = [
            (tensor.data_type in small, int(np.prod(tensor.dims, dtype=np.int64)))
            for tensor in check_graph(path).graph.initializer
            if tensor.data_type in small | {types.FLOAT, types.FLOAT16}
        ]
    else:
        counted = [(BITS[kind] <= 8, count) for kind, count in audit(path)["constants"].items()]
    total = sum(count for _, count in counted)
    return sum(count for is_small, count in counted if is_small) / total if total else 0.0


def _tried(path: Path, files: ForeignFiles) -> Ready:
    """A network that was run elsewhere first, where a damaged file can end no process but that."""
    if not path.is_file():
        raise QuantriftError(f"{path}: no such file; name the network's file")
    if not path.stat().st_size:
        raise QuantriftError(f"{path}: is empty; export the network again")
    try:
        files.run(path)
    except QuantriftError as error:
        # Whatever the runtime calls it, an operation without a kernel is the most frequent cause.
        if path.suffix != ONNX and (names := _custom(path)):
            raise QuantriftError(
                f"{path}: uses operations that are not among TensorFlow Lite's own ({', '.join(names)}); "
                "export it with built-in operations alone"
            ) from None
        raise error
    return _ready(path)


def _ready(path: Path, given: Path | None = None) -> Ready:
    runtime = runtime_of(path)
    try:
        with _quiet():
            network = load_runtime(runtime, path)
            network(np.zeros((1, *network.input_shape), np.float32))
    except QuantriftError as error:
        # Of what was converted its owner knows the original alone.
        raise QuantriftError(str(error).replace(str(path), str(given or path))) from None
    ready = Ready(given or path, path, runtime, network, [])
    ready.assumed.append(f"{ready.given.name}: ends in {'a softmax' if ready.probabilities else 'logits'}")
    return ready


def _custom(path: Path) -> list[str]:
    """Names of the operations of a .tflite file that are not in the schema."""
    try:
        root = schema.Model.GetRootAs(path.read_bytes(), 0)
        codes = map(root.OperatorCodes, range(root.OperatorCodesLength()))
        return sorted({code.CustomCode().decode() for code in codes if code.CustomCode()})
    # The schema's code trusts every offset in the file, and meets damage with whatever comes of it.
    except Exception:
        return []


def _converted(
    path: Path, converted: Path, kind: str, source: Callable[[np.ndarray], np.ndarray] | None = None
) -> Ready:
    ready = _ready(converted, path)
    said = [f"{path.name}: read from {kind} and run as float32 TensorFlow Lite"]
    if source is None:
        said += ready.assumed
    else:
        # What the file itself ends in is told no more by what was made of it.
        said.append(f"{path.name}: a softmax at its end, if there is one, is left out; labels stay the same")
    return replace(ready, assumed=said, source=source)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what runtimes in C++ print to standard error to themselves; it is about processors and their own past."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    kept = os.dup(2)
    with tempfile.TemporaryFile() as hidden:
        os.dup2(hidden.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
