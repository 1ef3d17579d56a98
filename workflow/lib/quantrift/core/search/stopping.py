"""Stop rules: the goal of a search, and conditions that end it before its budget is spent.

Whatever the goal, a candidate that reaches it is one on which the two models disagree.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quantrift.core.search.messages import Tell

Goal = Literal["differ", "one_keeps", "targeted"]
"""``differ``: the models give different labels. ``one_keeps``: exactly one of them keeps the label y that both gave the
seed input (DiffChaser, Section 3.1). ``targeted``: one keeps y, the other gives the target class."""


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
        self._best, self._unchanged = -np.inf, 0

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
        best = max(self._best, float(np.max(tell.fitness[tell.valid, : self._ranked], initial=-np.inf)))
        self._unchanged = self._unchanged + 1 if best == self._best and not tell.disagree.any() else 0
        self._best = best
        return self._unchanged >= self._stop.patience


def kept_labels(original: np.ndarray, compressed: np.ndarray) -> np.ndarray:
    """The label y that both models give each seed input, int64 (B,); -1 where they give different ones.

    Args:
        original: labels of the B seed inputs, int64 (B,).
        compressed: likewise of the compressed model.
    """
    return np.where(original == compressed, original, -1)


def reached(goal: Goal, tell: Tell, kept: np.ndarray, target: int | None) -> np.ndarray:
    """Whether each row of an answer reaches the goal, bool (n * B,).

    Seed inputs on which the models disagree have no y: their candidates can reach ``differ`` alone.

    Args:
        goal: the goal of the protocol.
        tell: the answer; its B rows of a candidate stand together.
        kept: ``kept_labels`` of the B seed inputs.
        target: target class of a targeted search.
    """
    if goal == "differ":
        return tell.disagree
    label = np.tile(kept, len(tell.disagree) // len(kept))
    by_original, by_compressed = tell.labels_original == label, tell.labels_compressed == label
    found: np.ndarray = tell.disagree & (label >= 0) & (by_original != by_compressed)
    if goal == "targeted":
        found &= np.where(by_original, tell.labels_compressed, tell.labels_original) == target
    return found
