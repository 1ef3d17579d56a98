"""Goals of searches: the condition under which a candidate counts as found.

Whatever the goal, a candidate that reaches it is one on which the two models disagree.
"""

from typing import Literal

import numpy as np

from quantrift.core.search.messages import Tell

Goal = Literal["differ", "one_keeps", "targeted"]
"""``differ``: the models give different labels. ``one_keeps``: exactly one of them keeps the label y that both gave the
seed input (DiffChaser, Section 3.1). ``targeted``: one keeps y, the other gives the target class."""


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
