"""One-sided tests of two series over run seeds, for a hypothesis and against it."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.statistics.effect_size import a12
from quantrift.core.statistics.signed_rank import pratt_p
from quantrift.core.statistics.unpaired import mann_whitney


@dataclass(frozen=True)
class Evidence:
    """Evidence of run seeds on "the first series is larger"; None where it is undefined."""

    run_seeds: int
    """Pairs on which both series are defined; unpaired, values of the shorter series."""
    p: float | None = None
    """One-sided p for the hypothesis."""
    p_reverse: float | None = None
    """One-sided p for its reverse, that the first series is smaller."""
    p_min: float | None = None
    """Smallest p that one of the two directions could reach."""
    a12: float | None = None
    """A12, 0..1, above 0.5 where the first series is larger."""


def evidence(first: np.ndarray, second: np.ndarray, *, paired: bool, test: bool = True, seed: int = 0) -> Evidence:
    """Signed-rank (paired) or rank-sum tests in both directions, and A12.

    Args:
        first: (n,) values, one a run seed; NaN where undefined.
        second: (m,) values; of the same run seeds where ``paired``.
        paired: whether values at the same index belong together.
        test: False where run seeds share inputs, so are not independent: no p is given.
        seed: of the sign flips above 20 pairs.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    known, other_known = ~np.isnan(first), ~np.isnan(second)
    if paired:
        known = other_known = known & other_known
    first, second = first[known], second[other_known]
    run_seeds = min(len(first), len(second))
    if not run_seeds:
        return Evidence(run_seeds=0)
    effect = a12(first, second)
    if not test:
        return Evidence(run_seeds, a12=effect)
    towards, away = (
        pratt_p(first - second, seed, way) if paired else mann_whitney(first, second, way)
        for way in ("greater", "less")
    )
    if towards is None or away is None:
        return Evidence(run_seeds, a12=effect)
    return Evidence(run_seeds, towards[0], away[0], min(towards[1], away[1]), effect)
