"""Top-1 distance: difference between both models' largest probabilities, and the models' state (TriggerFinder).

The state is the output probabilities of both models, as a compressed model shows no more (Fitness Function).
"""

from dataclasses import dataclass

import numpy as np

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objective import softmax


@dataclass(frozen=True)
class Params:
    """The objective; it has no settings."""

    RANKED = 1
    """See :class:`quantrift.core.search.objective.Objective`: the state is no measure of how promising an input is."""

    def score(self, outputs: Outputs) -> np.ndarray:
        """D = |p - p'| of the likeliest class of each model, 0 to 1, then all of p and all of p': (n, 1 + 2K).

        See :class:`quantrift.core.search.objective.Objective`.
        """
        original, compressed = softmax(outputs.original), softmax(outputs.compressed)
        distance = np.abs(original.max(axis=1) - compressed.max(axis=1))
        return np.concatenate([distance[:, None], original, compressed], axis=1)
