"""Margin between the original's two most probable classes, negated (DiverGet §4.4.2, after DiffChaser)."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objective import softmax


@dataclass(frozen=True)
class Params:
    """The objective; it has no settings."""

    def score(self, outputs: Outputs) -> np.ndarray:
        """p(second) - p(first) of the original, at most 0; see :class:`quantrift.core.search.objective.Objective`."""
        # Partitioned, the two largest stand last.
        ranked = np.partition(softmax(outputs.original), -2, axis=1)
        return ranked[:, -2:-1] - ranked[:, -1:]
