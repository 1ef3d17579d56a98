"""Mann and Whitney's rank-sum test (1947) for groups that share no inputs; its effect size is ``effect_size.a12``."""

import numpy as np
import scipy

from quantrift.core.statistics.signed_rank import DECIMALS, MIN_PAIRS, Alternative, as_far


def mann_whitney(
    first: np.ndarray, second: np.ndarray, alternative: Alternative = "two-sided"
) -> tuple[float, float] | None:
    """The p of the permutation test on mid-ranks, and the smallest p these values could reach.

    Exact, ties included: the distribution of the first group's rank sum over all ways to divide the values, which are
    rounded to 12 decimals. Two-sided, the sums at least as far from their mean count. Both values are 1 when all
    values are equal.

    Args:
        first: (n,) values without NaN.
        second: (m,) values without NaN.
        alternative: ``greater`` asks whether the first group tends to be larger.

    Returns:
        (p, attainable minimum), or None where a group has fewer than 6 values.
    """
    if min(len(first), len(second)) < MIN_PAIRS:
        return None
    values = np.round(np.concatenate([first, second]).astype(np.float64), DECIMALS)
    # Doubled mid-ranks are integers, and so is the mean of their sum over all divisions: n (n + m + 1).
    ranks = np.round(2 * scipy.stats.rankdata(values)).astype(np.int64)
    chances = _rank_sums(ranks, len(first))
    sums = np.arange(len(chances)) - len(first) * (len(values) + 1)
    observed = int(ranks[: len(first)].sum()) - len(first) * (len(values) + 1)
    reached = sums[chances > 0]
    extreme = int(reached.min() if alternative == "less" else reached.max())
    if alternative == "two-sided":
        extreme = int(np.abs(reached).max())
    p, smallest = (chances[as_far(sums, place, alternative)].sum() for place in (observed, extreme))
    return min(1.0, float(p)), min(1.0, float(smallest))


def _rank_sums(ranks: np.ndarray, size: int) -> np.ndarray:
    """Probability of each sum 0 ... of ``size`` of the ranks, all choices being equally likely.

    Ranks are taken in turn; ``chances[k, s]`` is the chance that those taken so far have ``k`` members of the group
    with sum ``s``, a member being drawn with the share of places that are still free.
    """
    top = int(np.sort(ranks)[-size:].sum())
    chances = np.zeros((size + 1, top + 1))
    chances[0, 0] = 1
    taken = np.arange(size + 1)[:, None]
    for place, rank in enumerate(ranks.tolist()):
        share = np.clip((size - taken) / (len(ranks) - place), 0, 1)
        joined = chances * share
        chances *= 1 - share
        chances[1:, rank:] += joined[:-1, : top + 1 - rank]
    return chances[size] / chances[size].sum()
