"""Margins of the test inputs of a compressed network, in a file."""

from pathlib import Path

import numpy as np

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.statistics.margin_law import Margins, margins

FILE = "margins.npz"
"""Its name, in the folder of a compressed network."""


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
