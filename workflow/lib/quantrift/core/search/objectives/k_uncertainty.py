"""k-uncertainty: the gap between each model's largest logit and its k-th after that (DiffChaser §3.3).

k = 1 is the paper's basic fitness. Each model's value guides its half of DiffChaser's population.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from quantrift.core.base.errors import refuse
from quantrift.core.pairs.pair import Outputs


@dataclass(frozen=True)
class Params:
    """The objective with its settings."""

    k: Annotated[int, Ge(1)] = 1
    """Rank of the class that is compared with the likeliest one; less than the number of classes."""

    def score(self, outputs: Outputs) -> np.ndarray:
        """-|T(0) - T(k)| of the logits, largest first, of the original and of the compressed model: (n, 2), at most 0.

        See :class:`quantrift.core.search.objective.Objective`.
        """
        return np.stack([self._gap(logits) for logits in (outputs.original, outputs.compressed)], axis=1)

    def _gap(self, logits: np.ndarray) -> np.ndarray:
        """T(k) - T(0) of logits (n, K), float64 (n,)."""
        top = logits.shape[1] - 1
        refuse((self.k > top, f"objective.k_uncertainty.k: {self.k} of {top + 1} classes; at most {top}"))
        ranked = np.partition(logits, (top - self.k, top), axis=1).astype(np.float64)
        return ranked[:, top - self.k] - ranked[:, top]
