"""Checkers compared at equal false alarms: thresholds, shares caught, and the strength at which half is caught."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quantrift.core.base.grouped import grouped


@dataclass(frozen=True)
class Scored:
    """A pair that a checker scored."""

    group: str
    """Pairs of one group decide no threshold that is used on themselves: the name of the network."""
    score: float
    good: bool
    """Whether an alarm would be false, so that it counts for thresholds."""


def threshold(good: Collection[float], allowed: float) -> float:
    """The least threshold above which at most a share ``allowed`` of scores lies; NaN without scores.

    Args:
        good: scores of good pairs.
        allowed: share of them that may alarm, 0 to 1.
    """
    if not good:
        return math.nan
    ordered = sorted(good, reverse=True)
    # A share that is a whole number of pairs must not fall short of it by rounding.
    return ordered[min(len(ordered) - 1, math.floor(allowed * len(ordered) + 1e-9))]


def alarms(pairs: Sequence[Scored], allowed: float) -> list[bool | None]:
    """Whether each pair alarms, its score being larger than the threshold that the good pairs of other groups set.

    ``None`` where other groups have no good pair.
    """
    thresholds = {
        group: threshold([one.score for one in pairs if one.good and one.group != group], allowed)
        for group in {one.group for one in pairs}
    }
    return [None if math.isnan(thresholds[one.group]) else one.score > thresholds[one.group] for one in pairs]


def wins(pairs: Sequence[Scored], chosen: Sequence[bool]) -> dict[str, tuple[float, int]]:
    """Group -> comparisons that chosen pairs win against good ones of the group, ties counted half, and all of them.

    Args:
        pairs: of a checker.
        chosen: of each, whether it is to be told from the good ones.

    Returns:
        Groups with both kinds of pairs.
    """
    good = grouped((one.group, one.score) for one in pairs if one.good)
    found: dict[str, tuple[float, int]] = {}
    for one, wanted in zip(pairs, chosen, strict=True):
        if wanted and (others := good.get(one.group)):
            won, of = found.get(one.group, (0.0, 0))
            own = sum((one.score > other) + 0.5 * (one.score == other) for other in others)
            found[one.group] = (won + own, of + len(others))
    return found


def ranked(pairs: Sequence[Scored], chosen: Sequence[bool]) -> float:
    """Probability that a chosen pair scores higher than a good one of its group, ties counted half; NaN without any.

    It needs no threshold: the area under the curve of shares caught against false alarms, within groups. Arguments as
    of ``wins``.
    """
    found = wins(pairs, chosen).values()
    of = sum(number for _, number in found)
    return sum(won for won, _ in found) / of if of else math.nan


@dataclass(frozen=True)
class Half:
    """Strength at which half of the pairs is caught."""

    strength: float | None
    """``None`` where it was not reached."""
    at_most: bool = False
    """Whether the least strength already has half of them, so that the true one may be less."""

    def __str__(self) -> str:
        return "not reached" if self.strength is None else f"{'≤ ' if self.at_most else ''}{self.strength:.2g}"


def half(caught: Mapping[float, Sequence[bool]]) -> Half:
    """The least strength from which on at least half is caught, between two strengths along their logarithms.

    Args:
        caught: strength, above 0 -> whether each pair of this strength was caught; at least one each.
    """
    strengths = sorted(caught)
    shares = [float(np.mean(caught[one])) for one in strengths]
    below = [place for place, share in enumerate(shares) if share < 0.5]
    if not below:
        return Half(strengths[0], at_most=True)
    last = below[-1]
    if last == len(strengths) - 1:
        return Half(None)
    part = (0.5 - shares[last]) / (shares[last + 1] - shares[last])
    low, high = math.log(strengths[last]), math.log(strengths[last + 1])
    return Half(math.exp(low + part * (high - low)))
