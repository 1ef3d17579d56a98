"""Spaces that searches move in: vectors, and how a vector becomes an input."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np


@dataclass(frozen=True, eq=False)
class Originals:
    """The seed inputs of a wave of searches, with what distortions and constraints need to know of each."""

    inputs: np.ndarray
    """float32 (m, H, W, C), C-contiguous."""

    @cached_property
    def flat(self) -> np.ndarray:
        """The inputs as rows, float32 (m, H * W * C)."""
        return self.inputs.reshape(len(self.inputs), -1)

    @cached_property
    def minimum(self) -> np.ndarray:
        """Smallest value of each input, float32 (m,)."""
        return self.flat.min(axis=1)

    @cached_property
    def maximum(self) -> np.ndarray:
        """Largest value of each input, float32 (m,)."""
        return self.flat.max(axis=1)


class Space(Protocol):
    """Candidates of a search are float32 arrays of ``shape``, each gene between ``lower`` and ``upper``."""

    shape: tuple[int, ...]
    lower: np.ndarray
    """float32, of ``shape``."""
    upper: np.ndarray
    integer: np.ndarray
    """Which genes are rounded when decoded, bool, of ``shape``."""

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N random candidates, float32 (n, *shape), as random sampling and initial populations draw them."""
        ...

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """The inputs that candidates stand for.

        Args:
            candidates: float32 (n, *shape).
            originals: the seed inputs.
            rows: int (n,), the seed input that each candidate distorts.

        Returns:
            float32 (n, H, W, C), C-contiguous; each row depends on its candidate and seed input alone.
        """
        ...
