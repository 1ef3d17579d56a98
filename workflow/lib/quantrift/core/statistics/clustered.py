"""95 % interval of a share over clustered cases, such as the distorted inputs of one seed input."""

import numpy as np
import scipy

LEVEL = 0.95
FEWEST = 2
"""Smallest number of clusters from which their differences can be estimated."""


def effective(events: np.ndarray, trials: np.ndarray) -> tuple[float, float]:
    """Share, and its effective number of independent cases (Korn and Graubard 1998).

    Args:
        events: of each cluster, (k,).
        trials: likewise; a cluster without any is left out.

    Returns:
        (share, effective trials); (nan, 0) without trials, and nan trials for fewer than two clusters. Where no case
        or every case is an event, effective trials are the number of clusters, as the data do not show how alike the
        cases of one cluster are.
    """
    events, trials = (np.asarray(one, np.float64)[np.asarray(trials) > 0] for one in (events, trials))
    count, total = len(trials), trials.sum()
    if not count:
        return np.nan, 0.0
    share = float(events.sum() / total)
    if count < FEWEST:
        return share, np.nan
    if share in (0.0, 1.0):
        return share, float(count)
    variance = count / (count - 1) * ((events - share * trials) ** 2).sum() / total**2
    cases = share * (1 - share) / variance if variance else total
    # The variance is an estimate too, and less certain with fewer clusters.
    tail = (1 + LEVEL) / 2
    cases *= (scipy.special.stdtrit(total - 1, tail) / scipy.special.stdtrit(count - 1, tail)) ** 2
    return share, float(min(cases, total))


def clopper_pearson(share: float, cases: float, tail: float = (1 - LEVEL) / 2) -> tuple[float, float]:
    """Exact interval of a share of a number of cases, which need not be whole; (nan, nan) if that is nan or 0.

    ``tail`` is the probability that it leaves out at each end.
    """
    if not cases > 0:
        return np.nan, np.nan
    hits = share * cases
    low = 0.0 if share == 0 else float(scipy.special.betaincinv(hits, cases - hits + 1, tail))
    high = 1.0 if share == 1 else float(scipy.special.betaincinv(hits + 1, cases - hits, 1 - tail))
    return low, high


def clustered(events: np.ndarray, trials: np.ndarray) -> tuple[float, float, float]:
    """Pooled share over clusters with its interval: (share, low, high); nan where there is none.

    Korn and Graubard's interval: Clopper and Pearson's for the effective number of cases. It is defined without any
    event too, where a bootstrap over clusters has no width. The far end, which is that of more events for shares up to
    a half, uses at most as many cases as clusters. The reason: a few clusters of nearly nothing but events may be
    missing by chance, and would weigh as much as many others.
    """
    share, cases = effective(events, trials)
    clusters = int((np.asarray(trials) > 0).sum())
    near, far = (clopper_pearson(share, number) for number in (cases, min(cases, clusters)))
    return (share, near[0], far[1]) if share <= 0.5 else (share, far[0], near[1])
