"""Orders in which units go back to float, compared: curves, and networks of equal size."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from quantrift.core.base.streams import stream
from quantrift.judge.mend.mending import Point
from quantrift.judge.mend.sensitivity import Sensitivity, by_disagreement, by_sqnr
from quantrift.judge.mend.trials import Trial, Trials

OURS, SQNR = "disagreement", "SQNR"
RANDOM = 5
"""Random orders."""
POINTS = 12
"""Points of a curve, at most."""


def orders(found: Sequence[Sensitivity], seed: int) -> dict[str, list[str]]:
    """Name of each order -> all units, those first that go back to float first."""
    names = [one.unit for one in found]
    drawn = {
        f"random {number}": [names[place] for place in stream("mend", "order", seed, number).permutation(len(names))]
        for number in range(1, RANDOM + 1)
    }
    # Without any SQNR it orders nothing.
    ranked = {SQNR: by_sqnr(found)} if any(one.sqnr_db is not None for one in found) else {}
    return {OURS: by_disagreement(found)} | ranked | drawn


def curve(trials: Trials, name: str, order: Sequence[str]) -> list[Point]:
    """Networks with more and more units of an order in float, from none to all."""
    lengths = np.unique(np.linspace(0, len(order), min(POINTS, len(order) + 1)).round().astype(int)).tolist()
    return [point(name, trials(order[:length])) for length in lengths]


def point(name: str, trial: Trial) -> Point:
    """A trial as a point of a curve."""
    counted = trial.counted
    return Point(name, len(trial.kept), trial.size, trial.int8_share, counted.events, counted.cases, counted.rate)


def of_equal_size(order: Sequence[str], size: Callable[[Sequence[str]], int], most: int) -> list[str]:
    """The longest beginning of an order that takes no more than another network.

    Args:
        order: units.
        size: bits of the weights, or another cost, with some units kept from 8 bits; more units never take less.
        most: of that cost.
    """
    low, high = 0, len(order) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size(order[:middle]) <= most else (low, middle)
    return list(order[:low])


def rivals(given: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The orders that ours is compared with."""
    return {name: order for name, order in given.items() if name != OURS}
