"""Statistics of all pairwise Euclidean distances between vectors (DiverGet §5.3, Table 6)."""

import numpy as np
import scipy

ROWS = 500
"""Vectors whose distances to all others are computed at once."""

STATISTICS = ("min", "max", "average", "variance", "q1", "q3")


def summary(vectors: np.ndarray) -> dict[str, float]:
    """``STATISTICS`` of the n (n - 1) / 2 distances; NaN below two vectors.

    The variance is that of all distances (divisor: their number). Quartiles are numpy's, linear between neighbours, of
    distances held in single precision, relative error below 1e-7; all else is double precision.

    Args:
        vectors: float (n, genes); 4 bytes of memory for each of the distances.
    """
    n = len(vectors)
    if n < 2:
        return dict.fromkeys(STATISTICS, float("nan"))
    exact = np.asarray(vectors, np.float64)
    kept = np.empty(n * (n - 1) // 2, np.float32)
    smallest, largest, filled = np.inf, 0.0, 0
    total = squares = 0.0
    for start in range(0, n - 1, ROWS):
        block = exact[start : start + ROWS]
        among = scipy.spatial.distance.cdist(block, exact[start:])
        # Each pair once: the upper triangle of the blocks on the diagonal.
        distances = among[np.triu_indices(len(block), 1, among.shape[1])]
        kept[filled : filled + len(distances)] = distances
        filled += len(distances)
        total += float(distances.sum())
        squares += float((distances**2).sum())
        smallest, largest = min(smallest, float(distances.min())), max(largest, float(distances.max()))
    average = total / filled
    q1, q3 = np.quantile(kept, [0.25, 0.75], overwrite_input=True)
    # The difference of two nearly equal sums may fall below 0 by rounding.
    variance = max(0.0, squares / filled - average**2)
    return {
        "min": smallest,
        "max": largest,
        "average": average,
        "variance": variance,
        "q1": float(q1),
        "q3": float(q3),
    }


def within(vectors: np.ndarray, run_seeds: np.ndarray) -> dict[int, float]:
    """Run seed -> mean distance between its own vectors; NaN where it has fewer than two."""
    return {int(run_seed): summary(vectors[run_seeds == run_seed])["average"] for run_seed in np.unique(run_seeds)}
