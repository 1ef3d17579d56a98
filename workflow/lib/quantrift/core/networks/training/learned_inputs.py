"""Inputs that a network learns in one more training, all of them at once."""

from collections.abc import Sequence

import numpy as np

from quantrift.core.base.inputs import Floats, Integers, ValueStack


def learned(dataset: str, title: str, class_names: Sequence[str], values: Floats, labels: Integers) -> ValueStack:
    """Inputs that training takes all of, and that nothing is tested on.

    Args:
        dataset: id.
        title: for people.
        class_names: of the labels.
        values: as the network takes them, float32 (n, ...), n > 0.
        labels: int64 (n,).
    """
    numbers = np.arange(len(values))
    return ValueStack(
        dataset=dataset,
        title=title,
        class_names=list(class_names),
        labels=labels,
        train=numbers,
        validation=numbers[:0],
        test=numbers[:0],
        values=values,
        low=float(values.min()),
        high=float(values.max()),
    )
