"""Ranks of planted faults above good pairs, by checker, with intervals over networks.

Pairs of one network depend on each other, so resampling draws networks.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from quantrift.core.statistics.checker_figures import OfChecker, Row, good, planted
from quantrift.core.statistics.equal_alarms import Scored, wins
from quantrift.core.statistics.found_rates import quotient
from quantrift.core.statistics.intervals import Share, ends, pooled, resampled

UNIT = "network"


def ranked(rows: Sequence[Row], one: OfChecker) -> Share:
    """Probability that a planted fault scores higher than a good pair of the same network, ties counted half.

    Args:
        rows: of all pairs.
        one: figures of a checker that scored some.
    """
    won, of = np.array([*_wins(rows, one.scores).values()], np.float64).reshape(-1, 2).T
    return pooled(np.arange(len(of)), won, of, UNIT)


def ranked_more(rows: Sequence[Row], one: OfChecker, other: OfChecker) -> tuple[float, float, float]:
    """Difference of that probability to another checker's, over the pairs that both scored, with its interval.

    Args:
        rows: of all pairs.
        one: a checker.
        other: the one whose probability is subtracted.

    Returns:
        The difference and the ends of its interval; NaN without pairs, ends NaN from fewer than three networks.
    """
    own, others = (
        _wins(rows, {number: score for number, score in by.scores.items() if number in also.scores})
        for by, also in ((one, other), (other, one))
    )
    counts = np.array([(own[name][0] - others[name][0], own[name][1]) for name in own], np.float64).reshape(-1, 2)
    if not len(counts):
        return np.nan, np.nan, np.nan
    difference = float(counts[:, 0].sum() / counts[:, 1].sum())
    drawn = resampled(np.arange(len(counts)), counts)
    return difference, *ends(difference, quotient(drawn[:, 0], drawn[:, 1]), len(counts))


def _wins(rows: Sequence[Row], scores: Mapping[int, float]) -> dict[str, tuple[float, int]]:
    pairs = [Scored(rows[number]["network"], score, good(rows[number])) for number, score in scores.items()]
    return wins(pairs, [planted(rows[number]) for number in scores])
