"""An original network and its compressed model, ready to run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks import coreml
from quantrift.core.networks.runtime import load_runtime, load_values, runtime_of
from quantrift.core.networks.runtime_protocol import Runtime, ValuesRuntime
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs.task_pair import AgreeingOriginal, Agreement, ComparedNetwork

BATCH = 256
"""Inputs that a network runs at once at most, unless a search asks for more."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """Outputs of both networks on n inputs."""

    original: np.ndarray
    """Logits of the original, float32 (n, K)."""
    compressed: np.ndarray
    """Logits of the compressed network, float32 (n, K)."""
    neurons_original: np.ndarray | None = None
    """Values of the original's neurons that both networks have, float32 (n, M), where asked for: a channel's mean over
    its places, or a unit's value."""
    neurons_compressed: np.ndarray | None = None
    """Values of the compressed network's neurons, in the same order."""
    targets: np.ndarray | None = None
    """Target class of the search of each input, int64 (n,), -1 where it has none; None where no search has one. Set by
    the evaluator, not by a network."""


class Networks(Protocol):
    """Both networks at once; the outputs for one input must not depend on the others in its batch."""

    def __call__(self, x: np.ndarray) -> Outputs:
        """Run ``x``, float32 (n, H, W, C); n may be 0."""
        ...


@dataclass(frozen=True)
class Pair:
    """Two networks for the same inputs and classes."""

    original: Runtime
    compressed: Runtime
    profile: None = None
    """No values of neurons."""

    def __call__(self, x: np.ndarray) -> Outputs:
        """See ``Networks``."""
        return Outputs(self.original(x), self.compressed(x))


@dataclass(frozen=True)
class Loaded:
    """Networks that are given to a run by who calls it; ``None`` stands for one that is loaded from its file.

    Under a task they give the values of their outputs (``ValuesRuntime``).
    """

    original: Runtime | None = None
    compressed: Runtime | None = None

    @property
    def roles(self) -> list[str]:
        """Those that are given: ``original``, ``compressed``."""
        return [name for name, network in vars(self).items() if network is not None]


FROM_FILES = Loaded()
"""Both networks are loaded from files."""


def load_pair(
    original: Path,
    compressed: Path,
    original_runtime: str = "litert",
    batch: int = BATCH,
    loaded: Loaded = FROM_FILES,
    task: Path | None = None,
    compressed_runtime: str | None = None,
) -> Pair:
    """Load both models, the compressed one on LiteRT; an .onnx file on ONNX Runtime, a Core ML package on macOS.

    Args:
        original: a file that ``original_runtime`` reads.
        compressed: a .tflite or .onnx file.
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
        second_runtime = compressed_runtime or runtime_of(compressed)
        first_values = loaded.original or load_values(original_runtime, original, batch)
        second_values = loaded.compressed or load_values(second_runtime, compressed, batch)
        both = cast(ValuesRuntime, first_values), cast(ValuesRuntime, second_values)
        return _under_task((original, both[0]), (compressed, both[1]), task)
    second = loaded.compressed or _compressed(compressed, compressed_runtime, batch)
    first = loaded.original or load_runtime(
        original_runtime, original, batch if original_runtime == "litert" else BATCH
    )
    pair = Pair(first, second)
    check_fit(pair.original, pair.compressed, original, compressed)
    return pair


def _compressed(path: Path, asked: str | None, batch: int) -> Runtime:
    if asked is not None:
        return load_runtime(asked, path, BATCH)
    runtime = runtime_of(path)
    # Networks made here run on LiteRT. It stands in an import, so that jobs depend on its code.
    network: Runtime = LiteRT(path, batch) if runtime == "litert" else load_runtime(runtime, path, BATCH)
    package = coreml.runnable(path)
    return coreml.CoreML(package, network) if package else network


def _under_task(original: tuple[Path, ValuesRuntime], compressed: tuple[Path, ValuesRuntime], task: Path) -> Pair:
    """The pair of two networks, each with its path for messages, that agree by a task."""
    first, second = original[1], compressed[1]
    agreement = Agreement.read(task.read_text(encoding="utf-8"), task)
    if (first.input_shape, first.classes) != (second.input_shape, second.classes):
        raise QuantriftError(f"{compressed[0]}: has other inputs or outputs than {original[0]}; make both again")
    return Pair(AgreeingOriginal(first, original[0]), ComparedNetwork(first, second, agreement))


class Sized(Protocol):
    """A network with the sizes of its inputs and outputs."""

    input_shape: tuple[int, int, int]
    classes: int


def check_fit(first: Sized, second: Sized, original: Path, compressed: Path) -> None:
    """Refuse networks for other inputs or classes; the paths are for messages."""
    if (first.input_shape, first.classes) != (second.input_shape, second.classes):
        raise QuantriftError(
            f"{compressed}: made for inputs {second.input_shape} and {second.classes} classes, but {original} has "
            f"{first.input_shape} and {first.classes}; give two models for the same data"
        )
