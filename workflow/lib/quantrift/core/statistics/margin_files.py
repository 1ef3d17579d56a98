"""Margins of the test inputs of a compressed network, in a file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base.archive import read_arrays, write_arrays

FILE = "margins.npz"
"""Its name, in the folder of a compressed network."""


@dataclass(frozen=True)
class Margins:
    """Margins of inputs and their changes, float64 (n,)."""

    margin: np.ndarray
    """Difference of the original's two largest logits, 0 or more."""
    change: np.ndarray
    """Change of that difference, of the same two classes, in the compressed network."""
    differs: np.ndarray
    """bool (n,): the networks give different labels."""


def margins(original: np.ndarray, compressed: np.ndarray) -> Margins:
    """Margins of the logits (n, K) of two networks on the same inputs; K at least 2.

    The two classes are the original's first two, the first of them on a tie.
    """
    first, second = original.astype(np.float64), compressed.astype(np.float64)
    rows, order = np.arange(len(first)), np.argsort(-first, axis=1, kind="stable")
    best, next_best = order[:, 0], order[:, 1]
    margin = first[rows, best] - first[rows, next_best]
    after = second[rows, best] - second[rows, next_best]
    return Margins(margin, after - margin, best != second.argmax(axis=1))


def write(folder: Path, original: np.ndarray, compressed: np.ndarray, clusters: np.ndarray) -> None:
    """Write ``FILE``: the arrays of ``Margins`` of the logits (n, K) of two networks, and ``clusters``, int (n,)."""
    write_arrays(folder / FILE, vars(margins(original, compressed)) | {"clusters": clusters})


def read(path: Path) -> tuple[Margins, np.ndarray]:
    """Margins, and the clusters int64 (n,) of their inputs.

    Raises:
        QuantriftError: if it is no such file.
    """
    arrays = read_arrays(path, ("margin", "change", "differs", "clusters"))
    clusters = arrays.pop("clusters")
    return Margins(**arrays), clusters
