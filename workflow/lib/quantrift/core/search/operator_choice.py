"""Choice of the next mutation operator: Metropolis-Hastings over success ranks (TriggerFinder, Algorithm 2).

The algorithm draws operators until one is accepted, with a probability of min(1, (1 - p)^(k - k')), where k is the rank
of the one drawn, from 0, and k' that of the last one. Here one draw chooses among all with these weights, which is the
same. The authors' public tool never finds the last operator in its ranking, as it looks for a name among objects. It
takes k' = -1 instead, so its choice depends on the ranking alone (variant ``code``).
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Literal

import numpy as np

Variant = Literal["paper", "code"]
NOT_FOUND = -1
"""Rank that the authors' tool gives every last operator."""


class Ranking:
    """Operators by number, with counts of applications and gains of each, in one search."""

    def __init__(self, count: int, variant: Variant, rng: np.random.Generator) -> None:
        self._variant, self._rng = variant, rng
        self.applied = [0] * count
        """Applications of each operator, the paper's N_op."""
        self.gained = [0] * count
        """Gains of each operator, the paper's N_i."""
        self._thresholds = {rank: thresholds(rank, count) for rank in range(NOT_FOUND, count)}

    def uniform(self) -> int:
        """Any operator."""
        return int(self._rng.integers(len(self.applied)))

    def after(self, last: int | None) -> int:
        """The next operator; those that rank high are likelier.

        In ``paper`` it follows ``last``, and without one any is as likely. In ``code`` the last one does not matter.
        """
        if self._variant == "paper" and last is None:
            return self.uniform()
        order = self._order()
        rank = NOT_FOUND if self._variant == "code" or last is None else order.index(last)
        return order[bisect_right(self._thresholds[rank], self._rng.random())]

    def _order(self) -> list[int]:
        """Operators with the greatest score first.

        Where scores are equal, they stand in an order drawn anew (``code``), or that of their numbers (chosen).
        """
        operators = list(range(len(self.applied)))
        if self._variant == "paper":
            scores = [gained / max(1, applied) for gained, applied in zip(self.gained, self.applied, strict=True)]
        else:
            scores = [gained / (applied + 1e-7) for gained, applied in zip(self.gained, self.applied, strict=True)]
            operators = self._rng.permutation(len(operators)).tolist()
        return sorted(operators, key=scores.__getitem__, reverse=True)


def thresholds(rank: int, count: int) -> list[float]:
    """Cumulative probabilities of the ranks after ``rank``, against which a number from [0, 1) is compared."""
    weights = [min(1.0, (1 - 1 / count) ** (other - rank)) for other in range(count)]
    total = sum(weights)
    return [*(part / total for part in accumulate(weights[:-1])), 1.0]
