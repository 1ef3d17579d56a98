"""Inputs that show whether a network's result for one of them depends on the others of a run."""

import numpy as np

from quantrift.core.networks.graphs.signature import Signature

PROBES = 9
"""More than kernels take at once."""


def probes(signature: Signature) -> np.ndarray:
    """Inputs for a network, float32 (PROBES, *row).

    Magnitudes differ, as some kernels derive the grid of their integers from all inputs of a run.
    """
    rng = np.random.default_rng(0)
    magnitudes = np.geomspace(1 / 16, 16, PROBES).reshape(PROBES, 1, 1, 1)
    found: np.ndarray = (magnitudes * rng.random((PROBES, *signature.row))).astype(np.float32)
    # A whole number beyond those that a file knows may be an error there.
    found[..., signature.whole] = 0
    return found
