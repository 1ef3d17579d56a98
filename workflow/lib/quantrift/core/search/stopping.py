"""Stop rules: the goal of a search, and conditions that end it before its budget is spent."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.search.goal import Goal
from quantrift.core.search.messages import Tell


@dataclass(frozen=True)
class Stop:
    """Part of a protocol; the engine ends searches by it, so that it means the same for every searcher."""

    goal: Goal = "differ"
    """Goal of the search: the condition under which a candidate counts as an attack."""
    first_attack: bool = False
    """End a search with the generation in which it first reaches the goal."""
    patience: int | None = None
    """End a search when neither the best fitness nor the number of difference-inducing inputs has changed over this
    many generations (DiverGet Algorithm 1, line 14; the authors' earlier tool: 6, for the number alone).
    """


class Watch:
    """Follows one search."""

    def __init__(self, stop: Stop, ranked: int | None = None) -> None:
        """Takes the number of fitness columns in which larger is better (``Objective``); None for all."""
        self._stop, self._ranked = stop, ranked
        self._best = -np.inf
        self._unchanged = 0

    def over(self, tell: Tell, reached: np.ndarray) -> bool:
        """Whether the search ends with this generation.

        Args:
            tell: the answer to its ask.
            reached: which rows of it reach the goal, bool (n * B,).
        """
        if self._stop.first_attack and reached.any():
            return True
        if self._stop.patience is None:
            return False
        found = bool(tell.disagree.any())
        best = max(self._best, float(np.max(tell.fitness[tell.valid, : self._ranked], initial=-np.inf)))
        self._unchanged = self._unchanged + 1 if best == self._best and not found else 0
        self._best = best
        return self._unchanged >= self._stop.patience
