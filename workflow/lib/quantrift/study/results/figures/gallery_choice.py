"""Choice of the stored difference-inducing inputs that a gallery shows."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from quantrift.core.base.streams import stream
from quantrift.core.search.records.stored_vectors import Stored


def choose(rows: Stored, number: int, spread: Literal["class", "generation"], key: Sequence[str | int]) -> Stored:
    """Choose at most ``number`` rows, no two of the same seed input.

    Args:
        rows: rows to choose from.
        number: rows wanted.
        spread: ``class``: one of each class of the seed inputs in turn, in the order of labels. ``generation``: the
            earliest stored of each seed input, at even distances in the order of generations; one alone the middle.
        key: of the random stream that decides among equals.
    """
    order = stream("gallery", *key).permutation(len(rows))
    if spread == "generation":
        # Stable: equal generations stay in the random order.
        order = order[np.argsort(rows.generation[order], kind="stable")]
    _, first = np.unique(rows.input[order], return_index=True)
    order = order[np.sort(first)]
    if spread == "generation":
        ends = (0, len(order) - 1) if number > 1 else ((len(order) - 1) // 2,) * 2
        ranks = np.linspace(*ends, min(number, len(order))).round().astype(int)
        return rows.take(order[ranks])
    labels = rows.true_label[order]
    turn = np.array([int((labels[:place] == label).sum()) for place, label in enumerate(labels)], int)
    return rows.take(order[np.lexsort((labels, turn))][:number])
