"""Batches for runtimes: a call of any size becomes runs of a size that the library takes."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

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
        self.input_shape = image
        self.classes = classes
        self._path = path
        self._batch = batch
        self._fixed = fixed

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K) in C order, of ``x``, float32 (n, H, W, C); n may be 0.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        check(x, self._path, self.input_shape)
        logits = np.empty((len(x), self.classes), np.float32)
        for start, rows, count in runs(x, self._batch, self._fixed):
            with reading(self._path, f"cannot be run on {len(rows)} inputs at once", "build it with an open batch"):
                logits[start : start + count] = self._run(rows)[:count]
        return logits

    @abstractmethod
    def _run(self, rows: np.ndarray) -> np.ndarray:
        """Logits of as many inputs as the library takes at once; any error if it fails."""
