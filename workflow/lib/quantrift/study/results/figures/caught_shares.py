"""Shares of pairs that checkers catch, a row for each checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS
from quantrift.core.statistics.checker_figures import ALLOWED

SERIES = {"broken": "broken pairs", "planted": "all planted faults"}
"""Name of a share -> what it is a share of."""
APART = 0.24
"""Distance of two marks of a row, in rows."""


def drawn(titles: Sequence[str], shares: Mapping[str, Sequence[tuple[float, float, float]]]) -> mpl.Figure:
    """Marks with intervals.

    Args:
        titles: of the checkers, from the top.
        shares: of each of ``SERIES``, the value of each checker and the ends of its interval, 0 to 1.
    """
    figure = mpl.Figure(figsize=(7, 1.2 + 0.3 * len(titles)), layout="constrained")
    axes = figure.subplots()
    for number, name in enumerate(SERIES):
        value, low, high = 100 * np.array(shares[name], np.float64).reshape(-1, 3).T
        axes.errorbar(
            value,
            np.arange(len(titles)) + APART * (number - 0.5),
            xerr=[value - low, high - value],
            fmt="o",
            color=COLOURS[number],
            markersize=4,
            linewidth=1,
            clip_on=False,
            label=SERIES[name],
        )
    axes.set_yticks(range(len(titles)), titles)
    axes.set_ylim(len(titles) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.grid(axis="x")
    axes.set_xlabel(f"caught (%), where at most {ALLOWED:.0%} of the good pairs of other networks alarm")
    figure.legend(loc="outside lower center", ncols=len(SERIES))
    return figure
