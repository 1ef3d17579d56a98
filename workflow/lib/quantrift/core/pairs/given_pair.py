"""Pairs of networks in any files that a runtime reads, or called from Python, by labels or under a task."""

from pathlib import Path
from typing import cast

from quantrift.core.base.errors import refuse
from quantrift.core.networks import coreml
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.runtime import ValuesRuntime, file_digest, load_runtime, load_values, module, runtime_of
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs.pair import BATCH, FROM_FILES, Loaded, Pair, PairFiles, check_fit
from quantrift.core.pairs.task_pair import AgreeingOriginal, Agreement, ComparedNetwork

NEURONS = "quantrift.core.networks.layer_values.tflite_layers"


def load_pair(
    original: Path,
    compressed: Path,
    original_runtime: str = "litert",
    batch: int = BATCH,
    loaded: Loaded = FROM_FILES,
    task: Path | None = None,
    compressed_runtime: str | None = None,
) -> Pair:
    """Load both models: a .tflite file on LiteRT, an .onnx file on ONNX Runtime, a Core ML package on macOS.

    Args:
        original: a file that ``original_runtime`` reads.
        compressed: a file that a runtime reads.
        original_runtime: runtime of the original (``networks.runtime``).
        batch: inputs run at once at most, on LiteRT. Other runtimes keep to ``BATCH``: results of TensorFlow change in
            the last bits with it, and those of the others were compared up to it.
        loaded: networks that are not loaded, but given.
        task: file of what agreement means (``task_pair.FILE``); the same label where there is none.
        compressed_runtime: runtime of the compressed network, where it is another than its file's name tells.

    Raises:
        QuantriftError: if a file cannot be read, or the two models do not fit each other.
    """
    if task is not None:
        values = loaded.original or load_values(original_runtime, original, batch)
        others = loaded.compressed or load_values(compressed_runtime or runtime_of(compressed), compressed, batch)
        both = cast(ValuesRuntime, values), cast(ValuesRuntime, others)
        return _under_task((original, both[0]), (compressed, both[1]), task)
    second = loaded.compressed or _compressed(compressed, compressed_runtime, batch)
    first = loaded.original or load_runtime(
        original_runtime, original, batch if original_runtime == "litert" else BATCH
    )
    pair = Pair(first, second)
    check_fit(pair.original, pair.compressed, original, compressed)
    return pair


def load(files: PairFiles, batch: int = BATCH) -> Pair:
    """See ``Opening``."""
    return load_pair(
        files.original,
        files.compressed,
        files.original_runtime,
        batch,
        files.loaded,
        files.task,
        files.compressed_runtime,
    )


def packages(files: PairFiles) -> list[str]:
    """See ``Opening``."""
    given = files.loaded.roles
    runtimes = ["litert"]
    if "original" not in given:
        runtimes.append(files.original_runtime)
    if "compressed" not in given:
        runtimes.append(files.compressed_runtime or runtime_of(files.compressed))
    found = [name for one in runtimes for name in module(one).PACKAGES]
    own = "compressed" not in given and files.compressed_runtime is None
    return [*found, "coremltools"] if own and coreml.runnable(files.compressed) else found


digest = file_digest


def _compressed(path: Path, asked: str | None, batch: int) -> Runtime:
    if asked is not None:
        return load_runtime(asked, path, BATCH)
    name = runtime_of(path)
    # LiteRT runs the compressed network of most pairs. It stands in an import, so that jobs depend on its code.
    network: Runtime = LiteRT(path, batch) if name == "litert" else load_runtime(name, path, BATCH)
    package = coreml.runnable(path)
    return coreml.CoreML(package, network) if package else network


def _under_task(original: tuple[Path, ValuesRuntime], compressed: tuple[Path, ValuesRuntime], task: Path) -> Pair:
    """The pair of two networks, each with its path for messages, that agree by a task."""
    first, second = original[1], compressed[1]
    agreement = Agreement.read(task.read_text(encoding="utf-8"), task)
    refuse(
        (
            (first.input_shape, first.classes) != (second.input_shape, second.classes),
            f"{compressed[0]}: has other inputs or outputs than {original[0]}; make both again",
        ),
    )
    return Pair(AgreeingOriginal(first, original[0]), ComparedNetwork(first, second, agreement))
