"""Matching of two sets of boxes, one to one, by class, overlap and score."""

from dataclasses import dataclass

import numpy as np

FORMATS = ("corners", "center", "corner_size")
"""Two opposite corners; centre and size; first corner and size. Which axis comes first changes no overlap."""
ALONE = 1e6
"""Cost of a box that needs a partner and gets none: more than all pairs together cost."""


@dataclass(frozen=True, eq=False)
class Partners:
    """An assignment in which as few boxes as possible are without a partner that need one."""

    alone_first: np.ndarray
    """Whether a box of the first set needs a partner and has none, bool (a,)."""
    alone_second: np.ndarray
    """bool (b,)."""
    worst: float
    """Largest cost of a pair, 0 to 1: 1 is just within the limits."""

    @property
    def alone(self) -> int:
        """Boxes without a partner, of both sets."""
        return int(self.alone_first.sum() + self.alone_second.sum())


def corners(boxes: np.ndarray, form: str) -> np.ndarray:
    """Boxes (..., 4) of a form of ``FORMATS`` as least and greatest corner, the axes in their order."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if form == "center":
        first, second = first - second / 2, first + second / 2
    elif form == "corner_size":
        second = first + second
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def overlaps(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Intersection over union, float64 (a, b), of boxes (a, 4) and (b, 4) by their corners; 0 where both are empty."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.maximum(high - low, 0).prod(axis=2)
    sizes = [np.maximum(one[:, 2:] - one[:, :2], 0).prod(axis=1) for one in (first, second)]
    union = sizes[0][:, None] + sizes[1][None, :] - common
    return np.divide(common, union, out=np.zeros_like(common), where=union > 0)


def partners(first: np.ndarray, second: np.ndarray, score: float, iou: float, tolerance: float) -> Partners:
    """Assign boxes of two sets to each other.

    Args:
        first: float64 (a, 6): corners, score, class.
        second: float64 (b, 6).
        score: boxes from this score on need a partner.
        iou: least overlap of partners.
        tolerance: largest difference of their scores; infinite for any.
    """
    needs = first[:, 4] >= score, second[:, 4] >= score
    if not len(first) or not len(second):
        return Partners(*needs, 0.0)
    overlap = overlaps(first[:, :4], second[:, :4])
    fits = (overlap >= iou) & (first[:, None, 5] == second[None, :, 5])
    apart = np.zeros_like(overlap)
    if np.isfinite(tolerance):
        gap = np.abs(first[:, None, 4] - second[None, :, 4])
        fits &= gap <= tolerance
        apart = gap / tolerance if tolerance > 0 else apart
    missing = (1 - overlap) / (1 - iou) if iou < 1 else np.zeros_like(overlap)
    cost = np.clip(np.maximum(missing, apart), 0, 1)
    # Loaded here alone, as a search process starts without it.
    from scipy.optimize import linear_sum_assignment

    # Each box may also stay alone, with a place of its own on the other side.
    a, b = cost.shape
    whole = np.zeros((a + b, a + b))
    whole[:a, :b] = np.where(fits, cost, 4 * ALONE)
    whole[:a, b:], whole[a:, :b] = (ALONE * needs[0])[:, None], ALONE * needs[1]
    rows, columns = linear_sum_assignment(whole)
    paired = (rows < a) & (columns < b)
    rows, columns = rows[paired], columns[paired]
    kept = fits[rows, columns]
    rows, columns = rows[kept], columns[kept]
    alone = needs[0].copy(), needs[1].copy()
    alone[0][rows], alone[1][columns] = False, False
    # Pairs of two boxes that need no partner say nothing.
    told = needs[0][rows] | needs[1][columns]
    return Partners(*alone, float(cost[rows, columns][told].max(initial=0.0)))
