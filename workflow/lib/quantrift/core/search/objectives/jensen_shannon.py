"""Jensen-Shannon divergence of the two models' class probabilities (DiverGet Eq. 3 and 4, the divergence fitness)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objective import softmax


@dataclass(frozen=True)
class Params:
    """The objective with its settings."""

    variant: Literal["paper", "code"] = "paper"
    """``paper``: the divergence (DiverGet §4.4.2 (i)); ``code``: its square root (authors' earlier tool, which calls
    scipy's ``jensenshannon``). Both order candidates alike; means over a batch differ."""

    def score(self, outputs: Outputs) -> np.ndarray:
        """Divergence of the softmax outputs; see :class:`quantrift.core.search.objective.Objective`."""
        found = divergence(softmax(outputs.original), softmax(outputs.compressed))[:, None]
        return np.sqrt(found) if self.variant == "code" else found


def divergence(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence of rows of probabilities (n, K), natural logarithm: float64 (n,), in [0, ln 2].

    The paper bounds it by 1, which holds for the base-2 logarithm; its published Eq. 3 has the natural one.
    """
    middle = 0.5 * (first + second)
    total = np.zeros(len(first))
    for part in (first, second):
        # Half of the smallest positive number is 0.
        ratio = np.divide(part, middle, out=np.ones_like(part), where=(part > 0) & (middle > 0))
        total += 0.5 * (part * np.log(ratio)).sum(axis=1)
    return np.maximum(total, 0.0)
