"""Jensen-Shannon divergence of the two models' class probabilities (DiverGet Eq. 3 and 4, the divergence fitness)."""

from dataclasses import dataclass

import numpy as np

from quantrift.search.objective import softmax


@dataclass(frozen=True)
class Params:
    """The objective has no settings."""


def divergence(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence of rows of probabilities (n, K), natural logarithm: float64 (n,), in [0, ln 2].

    The paper bounds it by 1, which holds for the base-2 logarithm; its Eq. 3 prints the natural one.
    """
    middle = 0.5 * (first + second)
    total = np.zeros(len(first))
    for part in (first, second):
        ratio = np.divide(part, middle, out=np.ones_like(part), where=part > 0)
        total += 0.5 * (part * np.log(ratio)).sum(axis=1)
    return np.maximum(total, 0.0)


class JensenShannon:
    """The objective."""

    def score(self, out_original: np.ndarray, out_compressed: np.ndarray) -> np.ndarray:
        """Divergence of the softmax outputs; see :class:`quantrift.search.objective.Objective`."""
        return divergence(softmax(out_original), softmax(out_compressed))[:, None]


def bind(params: Params) -> JensenShannon:
    """The objective."""
    return JensenShannon()
