"""Margins of the test inputs of a compressed network, in a file."""

from pathlib import Path

import numpy as np

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.evaluate import logits
from quantrift.core.statistics.margin_law import Margins, margins

FILE = "margins.npz"
"""Its name, in the folder of a compressed network."""


def measure(inputs: Inputs, original: Runtime, compressed: Runtime, out: Path) -> None:
    """Write the margins of all test inputs, and their clusters.

    Args:
        inputs: of the network.
        original: as searches run it.
        compressed: the compressed model.
        out: .npz with the arrays of ``Margins`` and ``clusters``.
    """
    found = margins(*(logits(network, inputs, inputs.test) for network in (original, compressed)))
    write_arrays(out, vars(found) | {"clusters": inputs.clusters(inputs.test)})


def read(path: Path) -> tuple[Margins, np.ndarray]:
    """Margins, and the clusters int64 (n,) of their inputs.

    Raises:
        QuantriftError: if it is no such file.
    """
    arrays = read_arrays(path, ("margin", "change", "differs", "clusters"))
    clusters = arrays.pop("clusters")
    return Margins(**arrays), clusters
