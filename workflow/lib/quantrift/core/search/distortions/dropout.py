"""Base of the drop-outs of lines, columns and regions (DiverGet Table 1).

The values of some pixels, in up to 20 % of the bands, become the smallest or the largest value of the original patch.
"""

import numpy as np

from quantrift.core.search.distortions import choices
from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting, pairs, share
from quantrift.core.search.distortions.patch_distortion import Batch

LINES = 0.2
"""Most lines or columns at once, as a share of the longer side (the authors' earlier tool)."""
BANDS = 0.2
"""Most bands at once (the authors' earlier tool)."""


def lines(setting: Setting) -> list[Gene]:
    """(line, on) pairs. The longer side counts; indices beyond the shorter one choose nothing (chosen)."""
    longest = max(setting.shape[:2])
    return pairs(Gene(0, longest - 1), ON_OFF, share(LINES * setting.strength, longest))


def bands(setting: Setting) -> list[Gene]:
    """(band, on) pairs."""
    return pairs(Gene(0, setting.shape[2] - 1), ON_OFF, share(BANDS * setting.strength, setting.shape[2]))


def along(batch: Batch, line_pairs: np.ndarray, position_pairs: np.ndarray | None = None) -> np.ndarray:
    """Pixels on the chosen lines or columns, by the shared mode gene.

    Args:
        batch: k candidates.
        line_pairs: int (k, 2 * lines).
        position_pairs: int (k, 2 * positions), the places along each line; None for all.

    Returns:
        bool (k, H, W).
    """
    _, height, width, _ = batch.patches.shape
    longest = max(height, width)
    across = choices.mask(line_pairs, longest)
    position = np.ones((1, longest), bool) if position_pairs is None else choices.mask(position_pairs, longest)
    mode = batch.lines[:, None]
    down, right = np.where(mode, across, position), np.where(mode, position, across)
    return down[:, :height, None] & right[:, None, :width]


def fill(batch: Batch, pixels: np.ndarray, band_pairs: np.ndarray, bright: np.ndarray) -> None:
    """Write the patch's extreme value to some pixels in the chosen bands.

    Args:
        batch: k candidates.
        pixels: bool (k, H, W).
        band_pairs: int (k, 2 * bands).
        bright: bool (k,): the largest value, else the smallest.
    """
    k, places = batch.places(pixels)
    on = (band_pairs[:, 1::2] == 1)[k]
    values = places[:, None] * batch.patches.shape[3] + band_pairs[k, 0::2]
    extreme = np.where(bright, batch.maximum, batch.minimum)
    # Two genes may choose the same value; both write the same.
    batch.patches.reshape(-1)[values[on]] = np.broadcast_to(extreme[k, None], on.shape)[on]
