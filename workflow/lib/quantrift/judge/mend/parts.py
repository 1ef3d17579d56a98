"""Parts of the given inputs: for calibration, for the choice of layers, and for the verdict on fresh ones."""

from dataclasses import dataclass, replace

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ImageStack, Inputs, Stack
from quantrift.core.base.streams import stream

CALIBRATION = 0.2
"""Share of the inputs on which ranges of activations are measured."""
MOST = 200
"""Inputs for calibration at most; more hardly move a range, and are missed by the verdict."""
FEWEST = 10
"""Inputs that can be split at all."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Numbers of inputs, int64 and sorted; none stands in two parts."""

    calibration: np.ndarray
    selection: np.ndarray
    fresh: np.ndarray
    """No calibration and no layer is chosen by them."""


def split(count: int, seed: int) -> Parts:
    """A fifth of ``count`` inputs for calibration, 200 at most, and the rest in halves; the same for the same seed.

    Raises:
        QuantriftError: there are too few.
    """
    if count < FEWEST:
        raise QuantriftError(
            f"{count} inputs are too few to mend on one part and to judge on another; give at least {FEWEST}, better "
            "some hundred"
        )
    order = stream("mend", "parts", seed).permutation(count)
    first = min(MOST, round(CALIBRATION * count))
    half = first + (count - first) // 2
    return Parts(*(np.sort(part) for part in (order[:first], order[first:half], order[half:])))


def part_of(inputs: Inputs, numbers: np.ndarray) -> Inputs:
    """Some inputs as a dataset of their own, all of them training and test inputs; ``numbers`` is int64 (n,).

    Raises:
        TypeError: the inputs are not kept one by one.
    """
    every = np.arange(len(numbers), dtype=np.int64)
    # Strengths of natural changes are found on training inputs.
    of_all = {"labels": inputs.labels[numbers], "train": every, "validation": every[:0], "test": every}
    if isinstance(inputs, ImageStack):
        return replace(inputs, images=inputs.images[numbers], **of_all)
    if isinstance(inputs, Stack):
        return replace(inputs, values=inputs.values[numbers], **of_all)
    raise TypeError(f"{type(inputs).__name__} has no parts")
