"""The rectangle of the two region drop-outs (DiverGet Table 1)."""

import numpy as np

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch


def genes(setting: Setting) -> list[Gene]:
    """(band, on) pairs, then column x and line y of the first corner, width and length."""
    height, width, _ = setting.shape
    corner = [Gene(0, width - 1), Gene(0, height - 1)]
    size = [Gene(0, share(setting.strength, side - 1)) for side in (width, height)]
    return [*dropout.bands(setting), *corner, *size]


def sides(batch: Batch, rectangle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lines and columns of [x, x + width) x [y, y + length), clipped to the patch.

    Args:
        batch: k candidates.
        rectangle: int (k, 4): x, y, width, length.

    Returns:
        bool (k, H) and bool (k, W).
    """
    _, height, width, _ = batch.patches.shape
    x, y, wide, long = rectangle.T[:, :, None]
    down, right = np.arange(height), np.arange(width)
    return (down >= y) & (down < y + long), (right >= x) & (right < x + wide)
