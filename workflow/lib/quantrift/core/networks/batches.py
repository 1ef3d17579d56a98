"""Loaded networks, and batches for them: a call of any size becomes runs of a size that library and memory take."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Protocol

import numpy as np

from quantrift.core.base.errors import QuantriftError, reading


def check(x: np.ndarray, path: Path, image: tuple[int, int, int]) -> None:
    """Refuse inputs ``x`` that are not float32 (n, H, W, C) with ``image`` for (H, W, C)."""
    if x.shape[1:] != image or x.dtype != np.float32:
        wanted = ", ".join(map(str, ("n", *image)))
        raise QuantriftError(f"{path}: expected float32 inputs ({wanted}), got {x.dtype} {x.shape}")


def runs(x: np.ndarray, batch: int, fixed: int = 0) -> Iterator[tuple[int, np.ndarray, int]]:
    """Cut ``x``, (n, ...), into contiguous runs of at most ``batch`` rows, or of exactly ``fixed`` where that is not 0.

    Yields the first row of each, its rows, and the number of rows that are no padding.
    """
    step = fixed or batch
    for start in range(0, len(x), step):
        rows = np.ascontiguousarray(x[start : start + step])
        count = len(rows)
        if count < fixed:
            rows = np.concatenate([rows, np.repeat(rows[-1:], fixed - count, axis=0)])
        yield start, rows, count


class Sized(Protocol):
    """A network with the sizes of its inputs and outputs."""

    input_shape: tuple[int, int, int]
    """Height, width and channels of one input."""
    classes: int
    """Number of classes K."""


class Runtime(Sized, Protocol):
    """A loaded network. Its result for one input must not depend on the other inputs of the call.

    Logits are meant up to a constant per row: a network that ends in a softmax gives its probabilities' logarithms,
    less the row's largest, so that a softmax of them is the probabilities again.
    """

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K) in C order, of ``x``, float32 (n, H, W, C); n may be 0."""
        ...


class Batches(ABC):
    """A network run on a bounded number of inputs at once."""

    def __init__(self, path: Path, image: tuple[int, int, int], classes: int, batch: int, fixed: int = 0) -> None:
        """A network in the file ``path``, as the protocol describes it.

        Args:
            path: for messages.
            image: height, width and channels of one input.
            classes: number of classes.
            batch: inputs run at once at most.
            fixed: inputs run at once always; 0 where any number will do.
        """
        self.input_shape, self.classes, self._path = image, classes, path
        self.batch, self.fixed = batch, fixed

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K) in C order, of ``x``, float32 (n, H, W, C); n may be 0.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        check(x, self._path, self.input_shape)
        logits = np.empty((len(x), self.classes), np.float32)
        for start, rows, count in runs(x, self.batch, self.fixed):
            with reading(self._path, f"cannot be run on {len(rows)} inputs at once", "build it with an open batch"):
                logits[start : start + count] = self._run(rows)[:count]
        return logits

    @abstractmethod
    def _run(self, rows: np.ndarray) -> np.ndarray:
        """Logits of as many inputs as the library takes at once; any error if it fails."""


ROOM = 100e6
"""Bytes for the activations that a network holds at once while it runs."""
BETWEEN = 32
"""Times the size of an input that the largest tensor in between is taken to have: most networks stay within."""
HELD = 3
"""Tensors of the size of the largest that a runtime holds at once: input and output of an operation, and a copy."""


def largest(content: bytes) -> int:
    """Bytes of the largest tensor that a .tflite file computes for one input, or 1.

    Where sizes of some show only in a run, as those of spectrograms may, a guess (``BETWEEN``).
    """
    from quantrift.core.networks.tflite_graph import DTYPES, graphs

    # Weights are not computed, and scalars have no shape.
    computed = [one for graph in graphs(content) for one in graph.tensors if one.shape and one.stored is None]
    sizes = (
        prod(map(abs, one.shape)) // max(1, one.shape[0]) * (DTYPES[one.type].itemsize if one.type in DTYPES else 1)
        for one in computed
    )
    return max(1, *sizes) * (BETWEEN if any(-1 in one.open_shape[1:] for one in computed) else 1)


def rows_of(row: Sequence[int], most: int) -> int:
    """Inputs at once, at most ``most``, for a network whose tensors in between are not known, by the shape of one."""
    return rows(BETWEEN * 4 * prod(row), most)


def rows(size: int, most: int) -> int:
    """Inputs at once, at most ``most``, for a network whose largest tensor has ``size`` bytes for one input."""
    return max(1, min(most, int(ROOM / (HELD * size))))
