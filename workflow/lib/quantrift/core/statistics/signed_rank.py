"""Wilcoxon's signed-rank test (1945) with Pratt's zeros (1959), and its effect sizes and shift."""

from typing import Literal

import numpy as np
import scipy

from quantrift.core.base.streams import stream

Alternative = Literal["two-sided", "greater", "less"]
"""Alternative of a test: a difference, a larger first group, or a smaller one."""

FLIPS = 100_000
"""Sign patterns drawn above that number."""
MIN_PAIRS = 6
"""Below this number of pairs no two-sided p can fall under 5 %, so none is given."""
DECIMALS = 12
"""Differences are rounded here before they are ranked, so that rounding errors neither break ties nor hide zeros."""


def signed_ranks(differences: np.ndarray) -> np.ndarray:
    """Signed mid-ranks of the non-zero differences, the zeros having been ranked among them (Pratt).

    Args:
        differences: (n,) paired differences of fractions.

    Returns:
        (m,) float64 with m <= n, multiples of 1/2.
    """
    rounded = np.round(np.asarray(differences, dtype=np.float64), DECIMALS)
    return (np.sign(rounded) * scipy.stats.rankdata(np.abs(rounded)))[rounded != 0]


def blocked_ranks(differences: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Signed ranks of differences within each block, so that blocks are not compared with each other.

    Args:
        differences: (n,) paired differences.
        blocks: (n,) identifier of each difference's block.

    Returns:
        (m,) float64 with m <= n, block by block.
    """
    return np.concatenate([np.empty(0), *[signed_ranks(differences[blocks == block]) for block in np.unique(blocks)]])


def pratt_p(
    differences: np.ndarray, seed: int = 0, alternative: Alternative = "two-sided"
) -> tuple[float, float] | None:
    """The p of the sign-flip test on the signed ranks, and the smallest p these differences could reach.

    Exact by enumeration up to 20 non-zero differences; above, (1 + hits) / (1 + 100,000) over seeded sign flips.
    Both values are 1 when all differences are zero.

    Args:
        differences: (n,) paired differences of fractions.
        seed: of the sign flips above 20 pairs.
        alternative: ``greater`` asks whether the differences tend to be positive.

    Returns:
        (p, attainable minimum), or None below 6 pairs.
    """
    return None if len(differences) < MIN_PAIRS else flipped_p(signed_ranks(differences), seed, alternative)


def flipped_p(signed: np.ndarray, seed: int = 0, alternative: Alternative = "two-sided") -> tuple[float, float]:
    """The same of signed ranks, (m,) multiples of 1/2, however they were ranked."""
    # Doubled mid-ranks are integers, so that equal sums compare equal.
    ranks = np.round(2 * signed).astype(np.int64)
    if len(ranks) == 0:
        return 1.0, 1.0
    observed, sizes = int(ranks.sum()), np.abs(ranks)
    smallest = 2.0 ** -len(ranks) * (2 if alternative == "two-sided" else 1)
    # Of up to so many non-zero differences, all sign patterns are enumerated.
    if len(ranks) <= 20:
        sums = np.zeros(1, dtype=np.int64)
        for size in sizes:
            sums = np.concatenate([sums - size, sums + size])
        return float(np.mean(as_far(sums, observed, alternative))), smallest
    random, hits, chunk = stream("sign flips", seed), 0, 1_000
    for _ in range(FLIPS // chunk):
        signs = random.integers(0, 2, size=(chunk, len(sizes)), dtype=np.int8)
        # Sums of integers are exact in float64, and fast.
        hits += int(np.sum(as_far((2.0 * signs - 1) @ sizes.astype(np.float64), observed, alternative)))
    return (1 + hits) / (1 + FLIPS), max(smallest, 1 / (1 + FLIPS))


def as_far(sums: np.ndarray, observed: int, alternative: Alternative) -> np.ndarray:
    """Sums at least as far from zero as the observed one, in the direction of the alternative."""
    if alternative == "two-sided":
        return np.abs(sums) >= abs(observed)
    return sums >= observed if alternative == "greater" else sums <= observed


def published_p(differences: np.ndarray) -> float | None:
    """Two-sided p as the papers' scripts compute it: scipy's ``wilcoxon`` with zeros dropped.

    Returns:
        None below 6 pairs and when all differences are zero, where that call gives no number.
    """
    rounded = np.round(np.asarray(differences, dtype=np.float64), DECIMALS)
    defined = len(rounded) >= MIN_PAIRS and rounded.any()
    return float(scipy.stats.wilcoxon(rounded, zero_method="wilcox").pvalue) if defined else None


def rank_biserial(differences: np.ndarray) -> float:
    """Matched-pairs rank-biserial correlation (Kerby 2014) in -1..1 on the ranks of the test; 0 when all are zero."""
    return balance(signed_ranks(differences))


def balance(signed: np.ndarray) -> float:
    """The sum of signed ranks as a share of the sum of their sizes; 0 without any."""
    return float(signed.sum() / np.abs(signed).sum()) if len(signed) else 0.0


def shift(differences: np.ndarray) -> tuple[float, float | None, float | None]:
    """Hodges-Lehmann shift and its 95 % interval: the median of the Walsh averages, and the signed-rank test inverted.

    The interval takes the order statistics of the exact null distribution for continuous data, as R's ``wilcox.test``
    does; it has at least 95 % coverage. Both ends are None below 6 pairs, where no finite interval has that.

    Args:
        differences: (n,) paired differences, n >= 1.
    """
    values = np.asarray(differences, dtype=np.float64)
    rows, columns = np.triu_indices(len(values))
    # Rounding errors of means of fractions are below this; adding 0 takes the sign from a zero.
    walsh = np.sort(np.round((values[rows] + values[columns]) / 2, 15)) + 0.0
    if len(values) < MIN_PAIRS:
        return float(np.median(walsh)), None, None
    cut = int(np.searchsorted(np.cumsum(null_distribution(len(values))), 0.025))
    return float(np.median(walsh)), float(walsh[cut - 1]), float(walsh[-cut])


def null_distribution(pairs: int) -> np.ndarray:
    """Null probabilities of rank sums 0 ... n(n+1)/2 of the positive differences, without ties."""
    weights = np.ones(1)
    for rank in range(1, pairs + 1):
        weights = (np.pad(weights, (0, rank)) + np.pad(weights, (rank, 0))) / 2
    return weights


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
    farthest = {"less": reached.min(), "greater": reached.max(), "two-sided": np.abs(reached).max()}
    extreme = int(farthest[alternative])
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


MAGNITUDES = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"), (np.inf, "large"))
"""Upper ends of |2 A12 - 1|, each exclusive, and their words."""


def a12(first: np.ndarray, second: np.ndarray) -> float:
    """P(first > second) + P(first = second) / 2 over all pairs: above 0.5 where the first group is larger.

    Args:
        first: (n,) values, n >= 1.
        second: (m,) values, m >= 1.

    Returns:
        A fraction 0..1.
    """
    order = np.sign(np.subtract.outer(np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)))
    return float((order.mean() + 1) / 2)


def magnitude(value: float) -> str:
    """``negligible``, ``small``, ``medium`` or ``large`` for an A12 value."""
    # Rounded, as 2 * 0.5735 - 1 falls short of 0.147 by one rounding error.
    scaled = round(abs(2 * value - 1), 12)
    return next(word for end, word in MAGNITUDES if scaled < end)
