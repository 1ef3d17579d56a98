"""Pairs of genes that choose among many: (index, on/off)."""

import numpy as np


def mask(pairs: np.ndarray, size: int) -> np.ndarray:
    """Mask of what at least one pair switches on.

    Args:
        pairs: int (k, 2 * count), index and switch in turn; what lies at or beyond ``size`` chooses nothing.
        size: number of things to choose among.

    Returns:
        bool (k, size).
    """
    # One place more takes all that is not chosen.
    chosen = np.zeros((len(pairs), size + 1), bool)
    index = np.where(pairs[:, 1::2] == 1, pairs[:, 0::2], size)
    chosen[np.arange(len(pairs))[:, None], np.minimum(index, size, out=index)] = True
    return chosen[:, :size]
