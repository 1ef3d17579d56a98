"""Pairs of networks in any files that a runtime reads, or called from Python, by labels or under a task."""

from typing import Any, cast

import numpy as np
import xxhash

from quantrift.core.base.errors import refuse
from quantrift.core.networks import coreml
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.runtime import ValuesRuntime, file_digest, load_runtime, load_values, module, runtime_of
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs.pair import BATCH, Pair, PairFiles, check_fit
from quantrift.core.pairs.task_pair import AgreeingOriginal, Agreement, ComparedNetwork

NEURONS = "quantrift.core.networks.layer_values.tflite_layers"
KEPT = 2**26
"""Bytes of an original's outputs that are kept at most."""


class Remembered:
    """An original that runs a batch once, however many searches ask for it."""

    def __init__(self, network: Any, known: dict[int, np.ndarray]) -> None:
        """``known`` holds its outputs by the digest of the batch, and gets those of new ones."""
        self._network, self._known = network, known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._network, name)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """See ``Runtime``."""
        batch = xxhash.xxh3_128_intdigest(np.ascontiguousarray(x).data)
        found = self._known[batch] if batch in self._known else self._network(x)
        if len(self._known) * found.nbytes < KEPT:
            self._known[batch] = found
        return cast(np.ndarray, found)


def load(files: PairFiles, batch: int = BATCH) -> Pair:
    """The pair of two networks: a .tflite file on LiteRT, an .onnx file on ONNX Runtime, a Core ML package on macOS.

    They agree by their labels, or by a task where there is one. At most ``batch`` inputs are run at once on LiteRT.
    Other runtimes keep to ``BATCH``: results of TensorFlow change in the last bits with it, and those of the others
    were compared up to it.

    Raises:
        QuantriftError: if a file cannot be read, or the two models do not fit each other.
    """
    given, name, task = files.loaded, files.original_runtime, files.task
    first: Any = given.original or (
        load_values(name, files.original, batch)
        if task
        else load_runtime(name, files.original, batch if name == "litert" else BATCH)
    )
    if files.outputs is not None:
        first = Remembered(first, files.outputs)
    if task is not None:
        second = cast(ValuesRuntime, given.compressed or load_values(_runtime(files), files.compressed, batch))
        agreement = Agreement.read(task.read_text(encoding="utf-8"), task)
        refuse(
            (
                (first.input_shape, first.classes) != (second.input_shape, second.classes),
                f"{files.compressed}: has other inputs or outputs than {files.original}; make both again",
            ),
        )
        return Pair(AgreeingOriginal(first, files.original), ComparedNetwork(first, second, agreement))
    pair = Pair(first, given.compressed or _compressed(files, batch))
    check_fit(pair.original, pair.compressed, files.original, files.compressed)
    return pair


def packages(files: PairFiles) -> list[str]:
    """See ``Opening``."""
    given = files.loaded.roles
    originals = [] if "original" in given else [files.original_runtime]
    others = [] if "compressed" in given else [_runtime(files)]
    found = [name for one in ("litert", *originals, *others) for name in module(one).PACKAGES]
    own = others and files.compressed_runtime is None
    return [*found, "coremltools"] if own and coreml.runnable(files.compressed) else found


digest = file_digest


def _runtime(files: PairFiles) -> str:
    """Runtime of the compressed network's file."""
    return files.compressed_runtime or runtime_of(files.compressed)


def _compressed(files: PairFiles, batch: int) -> Runtime:
    name, path, asked = _runtime(files), files.compressed, files.compressed_runtime is not None
    # LiteRT runs the compressed network of most pairs. It stands in an import, so that jobs depend on its code.
    network: Runtime = LiteRT(path, batch) if name == "litert" and not asked else load_runtime(name, path, BATCH)
    package = None if asked else coreml.runnable(path)
    return coreml.CoreML(package, network) if package else network
