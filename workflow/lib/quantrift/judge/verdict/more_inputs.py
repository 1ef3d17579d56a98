"""Numbers of inputs that would decide a limit: a range, from the arithmetic of the intervals that are held against it.

An interval on n inputs leaves a limit open. N inputs, these n among them, decide if the share that they show lies below
the largest share whose interval ends below the limit, or above the least share whose interval begins above it. That
share is not known yet: it is spread around the share of the n inputs as their interval and the draw of N - n others
spread it. So each N has a chance to decide. The range ends where that chance is 1 in 40 and 19 in 20.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import scipy

from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.core.statistics.intervals import Z95, drop, wilson
from quantrift.judge.verdict.tool_result import Rate

FEWEST = 3
"""Inputs, or seed inputs, with a disagreement below which no limit is shown to be exceeded."""
MOST = 1_000_000
"""Largest number of inputs that a verdict asks for."""
PRECISION = 200
"""Large numbers are found as closely as one in this."""
ROOM = 1e-7
"""Accuracy of a share."""
CHANCES = (0.025, 0.95)
"""Chances to decide at both ends of the range."""
Ends = Callable[[float, float], tuple[float, float]]
"""From a share and a number of inputs to the ends of the interval."""


Needed = tuple[int | None, int | None]
"""How many inputs would decide, those that there are among them: fewer than the first number hardly decide, and as many
as the second most likely do; ``None`` where that cannot be said."""
UNKNOWN: Needed = (None, None)


def of_inputs(share: float, count: float) -> tuple[float, float]:
    """Clopper and Pearson's interval; shares below 0 are taken as 0, here and below."""
    return clopper_pearson(max(share, 0.0), count)


def of_searches(share: float, count: float) -> tuple[float, float]:
    """Wilson's interval."""
    return wilson(max(share, 0.0) * count, count)


def of_drop(share: float, count: float, gained: float = 0.0) -> tuple[float, float]:
    """Bonett and Price's interval; ``gained`` is the share of the inputs on which only the candidate is right."""
    # No more inputs can change than there are.
    won = min(max(gained, -share, 0.0), (1 - share) / 2)
    _, low, high = drop((won + share) * count, won * count, count)  # type: ignore[arg-type]
    return low, high


def of_clusters(share: float, count: float, cases: float = 1.0) -> tuple[float, float]:
    """Korn and Graubard's interval over clusters, each of which tells as much as ``cases`` independent ones."""
    near, far = (of_inputs(share, count * each) for each in (cases, min(cases, 1.0)))
    return (near[0], far[1]) if share <= 0.5 else (far[0], near[1])


WITHOUT: Mapping[str, Ends] = {
    "max_disagreement": of_inputs,
    "max_accuracy_drop": of_drop,
    "max_dir": of_clusters,
    "max_sr": of_searches,
}
"""Limit -> kind of its interval where nothing disagrees."""


def fewest_without(allowed: float, ends: Ends) -> int | None:
    """Fewest inputs that keep a limit if none of them disagrees; ``None`` if more than ``MOST``."""
    return _least(lambda count: ends(0.0, count)[1] < allowed, 1)


def needed(rate: Rate, allowed: float, count: int, ends: Ends = of_inputs) -> Needed:
    """How many inputs would decide.

    Args:
        rate: what was observed, with an interval that leaves the limit open.
        allowed: the limit.
        count: inputs, or seed inputs, behind it.
        ends: the kind of its interval.
    """
    if rate.value is None or rate.low is None or rate.high is None:
        return UNKNOWN
    least, most = (_fewest(chance, rate, allowed, count, ends) for chance in CHANCES)
    return least, most


def needed_clusters(rate: Rate, allowed: float, count: int) -> Needed:
    """How many seed inputs would decide about a share of their changes.

    A few seed inputs hardly tell how much the changes of one have in common: those on which nearly all changes disagree
    may be missing by chance. The least number rests on what they tell; for the most, each is but one case.
    """
    if rate.value is None or rate.low is None or rate.high is None:
        return UNKNOWN
    cases = _cases(rate.value, rate.low, rate.high, count) / count
    alone = partial(of_clusters, cases=min(cases, 1.0))
    low, high = alone(rate.value, count)
    careful = replace(rate, low=min(low, rate.low), high=max(high, rate.high))
    least, _ = needed(rate, allowed, count, partial(of_clusters, cases=cases))
    _, most = needed(careful, allowed, count, alone)
    return least, most


def _cases(share: float, low: float, high: float, count: int) -> float:
    """Independent cases that have the near end of an interval over clusters."""
    share, near = (share, low) if share <= 0.5 else (1 - share, 1 - high)
    if not near > 0:
        return float(count)
    return float(np.exp(scipy.optimize.brentq(lambda log: clopper_pearson(share, np.exp(log))[0] - near, -1, 25)))


def _fewest(chance: float, rate: Rate, allowed: float, count: int, ends: Ends) -> int | None:
    """Fewest inputs that decide with a chance; ``None`` if more than ``MOST``."""
    return _least(lambda total: _chance(total, rate, allowed, count, ends) >= chance, count)


def _least(enough: Callable[[int], bool], low: int) -> int | None:
    """Least number above ``low`` that is enough, as all larger ones are; ``None`` if more than ``MOST``."""
    high = MOST
    if high <= low or not enough(high):
        return None
    while high - low > max(1, high // PRECISION):
        middle = max(low + 1, int(np.sqrt(low * high)))
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _chance(total: int, rate: Rate, allowed: float, count: int, ends: Ends) -> float:
    """Chance that so many inputs decide; more inputs never have a smaller one."""
    assert rate.value is not None and rate.low is not None and rate.high is not None  # noqa: PT018
    # All inputs differ from those that there are by less than the others do: what those show is not soon made up for.
    slow = np.sqrt(total / (total - count))
    sides = rate.value - rate.low, rate.high - rate.value
    chance = 0.0
    if ends(-1.0, total)[1] < allowed:
        largest = scipy.optimize.brentq(lambda share: ends(share, total)[1] - allowed, -1.0, allowed, xtol=ROOM)
        chance += _below(largest - rate.value, sides, slow)
    if ends(1.0, total)[0] > allowed:
        least = scipy.optimize.brentq(lambda share: ends(share, total)[0] - allowed, allowed, 1.0, xtol=ROOM)
        chance += _below(rate.value - max(least, FEWEST / total), sides[::-1], slow)
    return chance


def _below(away: float, sides: tuple[float, float], slow: float) -> float:
    """Chance that a share lies below one that is so far from the share observed, below it if ``away`` is negative.

    Shares are normal to each side, as wide as the interval there.
    """
    moved, side = (away * slow, sides[0]) if away < 0 else (away, sides[1])
    return float(scipy.special.ndtr(Z95 * moved / side)) if side > 0 else float(away >= 0)
