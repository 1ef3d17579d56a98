"""Objectives: the fitness of valid inputs."""

from typing import Protocol

import numpy as np

from quantrift.core.pairs.pair import Outputs


class Objective(Protocol):
    """The ``Params`` of a module of ``quantrift.core.search.objectives``, or what its ``bind(params)`` makes of them.

    A module with a constant ``NEURONS = True`` looks into the models: its ``bind(params, profile)`` is given the values
    that the neurons take on the training inputs, and ``Outputs`` then has those of each candidate.
    """

    def score(self, outputs: Outputs) -> np.ndarray:
        """Fitness of n valid inputs: float64 (n, m), larger is better. A row depends on its own input alone.

        If the objective has a constant ``RANKED``, larger is better in the first ``RANKED`` columns alone; the others
        are further information for the searcher.
        """
        ...


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of logits (n, K), float64 (n, K), computed row by row (DiverGet Eq. 2)."""
    shifted = np.ascontiguousarray(logits, dtype=np.float64)
    shifted = shifted - shifted.max(axis=1, keepdims=True)
    np.exp(shifted, out=shifted)
    return shifted / shifted.sum(axis=1, keepdims=True)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Logarithms of ``softmax``, finite where probabilities round to 0: float64 (n, K), computed row by row."""
    shifted = np.ascontiguousarray(logits, dtype=np.float64)
    shifted = shifted - shifted.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
