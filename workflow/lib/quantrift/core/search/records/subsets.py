"""Strategies to shrink a difference-inducing input: subsets of its distortions, in order, and a stopping rule.

A strategy is a generator: it yields sets of distortions, uint32 (n,), is sent the outcome of each (``TRIED``), and
returns the smallest sets that still disagree, also as ``TRIED``.
"""

from collections.abc import Generator
from itertools import combinations

import numpy as np

TRIED = np.dtype([("set", np.uint32), ("hit", bool), ("label_original", np.int16), ("label_compressed", np.int16)])
"""A set of distortions; whether the input that they make is valid and gets two labels; the labels, -1 where it is not
valid."""

Strategy = Generator[np.ndarray, np.ndarray, np.ndarray]


def by_size(whole: np.ndarray) -> Strategy:
    """All proper subsets in order of their size, up to the first size at which any of them still disagrees.

    Args:
        whole: ``TRIED`` (1,), the set of all active distortions, known to disagree.

    Returns:
        All sets of the smallest size that disagree.
    """
    bits = _bits(int(whole["set"][0]))
    for size in range(len(bits)):
        tried = yield np.array([sum(chosen) for chosen in combinations(bits, size)], np.uint32)
        hits = tried[tried["hit"]]
        if len(hits):
            return hits
    return whole


def one_by_one(whole: np.ndarray) -> Strategy:
    """Switches off one distortion after the other, each time the first without which the input still disagrees.

    Args:
        whole: see ``by_size``.

    Returns:
        One set from which no single distortion can be removed; there may be smaller ones.
    """
    while bits := _bits(int(whole["set"][0])):
        tried = yield whole["set"][0] - np.array(bits, np.uint32)
        hits = tried[tried["hit"]]
        if not len(hits):
            break
        whole = hits[:1]
    return whole


def _bits(active: int) -> list[int]:
    """The distortions of a set, each as a set of its own, in ascending order."""
    return [1 << place for place in range(active.bit_length()) if active >> place & 1]
