"""Objectives: how promising a valid input is."""

from typing import Protocol

import numpy as np


class Objective(Protocol):
    """Made by the ``bind(params)`` of a module of ``quantrift.search.objectives``."""

    def score(self, out_original: np.ndarray, out_compressed: np.ndarray) -> np.ndarray:
        """Fitness of n valid inputs from both models' logits, float32 (n, K): float64 (n, m), larger is better."""
        ...


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of logits (n, K), float64 (n, K), computed row by row (DiverGet Eq. 2)."""
    shifted = np.ascontiguousarray(logits, dtype=np.float64)
    shifted = shifted - shifted.max(axis=1, keepdims=True)
    np.exp(shifted, out=shifted)
    return shifted / shifted.sum(axis=1, keepdims=True)
