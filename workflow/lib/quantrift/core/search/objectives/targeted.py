"""t-targeted fitness: the gap between each model's largest logit and that of a target class (DiffChaser §3.3)."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.pair import Outputs


@dataclass(frozen=True)
class Params:
    """The objective; it has no settings, as the protocol names the classes."""

    def score(self, outputs: Outputs) -> np.ndarray:
        """-|T(0) - l(t)| of the logits, of the original and of the compressed model: (n, 2), at most 0.

        See :class:`quantrift.core.search.objective.Objective`.

        Raises:
            QuantriftError: if a search has no target class.
        """
        targets = outputs.targets
        if targets is None or np.any(targets < 0):
            raise QuantriftError("objective.targeted: the search has no target; take a protocol with `goal: targeted`")
        return np.stack([_gap(logits, targets) for logits in (outputs.original, outputs.compressed)], axis=1)


def _gap(logits: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """L(t) - T(0) of logits (n, K), float64 (n,)."""
    return np.take_along_axis(logits, targets[:, None], axis=1)[:, 0].astype(np.float64) - logits.max(axis=1)
