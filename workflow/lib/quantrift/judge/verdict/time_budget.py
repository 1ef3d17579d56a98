"""Time budget: a small trial decides how many seed inputs and generations an assessment has.

The clock only chooses two numbers, of seed inputs and of generations. The report names both, and with them the
assessment can be repeated exactly, on any machine.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from quantrift.judge.verdict.profiles import Settings, sized

SEEDS, GENERATIONS = 2, 2
"""Seed inputs and generations of the trial."""
ENOUGH = 30
"""Seed inputs that are worth fewer generations: they decide how narrow intervals are."""
LADDER = (25, 10, 5, 3, 2)
"""Generations that are considered, most first."""
SPARE = 0.75
"""Share of the remaining time that is planned for; the rest is for the report, and for errors of the trial."""


@dataclass(frozen=True)
class Tried:
    """Seconds of a trial."""

    once: float
    """Seconds of what an assessment does once: calibrations."""
    each: float
    """Seconds of ``SEEDS`` searches of ``GENERATIONS`` generations for every candidate, results included."""


def paced(settings: Settings, began: float, trial: Callable[[Settings], Tried]) -> Settings:
    """The settings with the numbers of seed inputs and generations that fit the time budget.

    Args:
        settings: with ``time_budget``.
        began: when the assessment began, by ``time.monotonic``.
        trial: runs a small assessment with the settings that it gets.
    """
    assert settings.time_budget is not None
    size = sized(settings)
    tried = trial(replace(settings, seeds=SEEDS, generations=GENERATIONS))
    left = SPARE * (settings.time_budget - (time.monotonic() - began)) - tried.once
    # Seed inputs times generations for which there is time.
    room = max(0.0, left / tried.each * SEEDS * GENERATIONS)
    seeds, generations = fitting(room, size.seeds, size.generations)
    return replace(settings, seeds=seeds, generations=generations)


def fitting(room: float, seeds: int, generations: int) -> tuple[int, int]:
    """Seed inputs and generations whose product has room: at most those of the profile, at least one of each.

    Generations are given up before there are fewer than ``ENOUGH`` seed inputs.
    """
    if seeds * generations <= room:
        return seeds, generations
    for fewer in (generations, *(one for one in LADDER if one < generations)):
        if (fits := int(room / fewer)) >= min(ENOUGH, seeds):
            return min(fits, seeds), fewer
    least = min(LADDER[-1], generations)
    return max(1, min(seeds, int(room / least))), least
