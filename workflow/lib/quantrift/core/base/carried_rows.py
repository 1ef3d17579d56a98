"""Rows that hold an input which searches change and, behind it, the values that are carried along with it.

One input of a network of several is a row of numbers, float32 (1, 1, L): first the values of the input that searches
change, (H, W, C), then those of the others, one after the other. So whatever handles batches, digests and records of
inputs handles one array, as for networks of one input.
"""

from collections.abc import Iterable, Mapping
from math import prod

import numpy as np


def joined(changed: np.ndarray, others: Iterable[np.ndarray]) -> np.ndarray:
    """Rows, float32 (n, 1, 1, L), of the inputs that are changed, (n, H, W, C), and the carried ones, (n, ...) each."""
    parts = [in_rows(one).astype(np.float32, copy=False) for one in (changed, *others)]
    return np.concatenate(parts, axis=1)[:, None, None, :]


def apart(rows: np.ndarray, image: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The inputs that are changed, float32 (n, H, W, C), C-contiguous, and the carried values, float32 (n, l).

    Args:
        rows: float32 (n, 1, 1, L), as ``joined`` makes them.
        image: (H, W, C).
    """
    flat, own = in_rows(rows), prod(image)
    return np.ascontiguousarray(flat[:, :own]).reshape(len(rows), *image), flat[:, own:]


def by_name(carried: np.ndarray, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Name -> values, float32 (n, ...), of carried values, (n, l), whose ``shapes`` follow one another."""
    ends = np.cumsum([0, *map(prod, shapes.values())]).tolist()
    return {
        name: carried[:, ends[place] : ends[place + 1]].reshape(len(carried), *shape)
        for place, (name, shape) in enumerate(shapes.items())
    }


def in_rows(values: np.ndarray) -> np.ndarray:
    """Values (n, ...) of each input in one row, (n, K); n may be 0."""
    return values.reshape(len(values), prod(values.shape[1:]))
