"""Gap between both models' log probabilities of the top class (DiverGet §4.4.2, after Alzantot et al. 2019)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objective import log_softmax


@dataclass(frozen=True)
class Params:
    """The objective with its settings."""

    top: Literal["own", "original"] = "own"
    """Class whose probability is taken from the compressed model: its own most probable one (DiverGet §4.4.2, as
    written), or that of the original, so that the fitness still grows once labels differ (chosen)."""

    def score(self, outputs: Outputs) -> np.ndarray:
        """Log p_original(top) - log p_compressed(top); see :class:`quantrift.core.search.objective.Objective`."""
        first, second = log_softmax(outputs.original), log_softmax(outputs.compressed)
        chosen = (first if self.top == "original" else second).argmax(axis=1)
        return first.max(axis=1, keepdims=True) - np.take_along_axis(second, chosen[:, None], axis=1)
