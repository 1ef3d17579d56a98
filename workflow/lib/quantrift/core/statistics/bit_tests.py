"""Tests of accuracy between settings: analysis of variance, Welch's test, and Kruskal and Wallis's as a check.

The unit is the repetition. Values are accuracies, 0..1.
"""

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import scipy

from quantrift.core.statistics.signed_rank import DECIMALS, Alternative
from quantrift.core.statistics.statistics import ALPHA

Finding = Literal["yes", "no", "undecided"]
"""Whether a difference is significant; undecided where it is so only before Holm's adjustment."""


Evidence = dict[str, float | None]
"""Outcome of a test by name. ``p``, two-sided, is None where it is undefined: too few repetitions, or no variance
within the groups at all; what else is undefined is left out. ``statistic``: F, or t. ``freedom``: degrees of freedom
within the groups. ``kruskal_p``: p of the rank test, by its approximation with chi-squared. ``effect``: eta squared,
share of the variance that lies between the groups, 0..1. ``accuracy_difference``: second mean - first, of two groups;
``difference_low`` and ``difference_high``: ends of its 95 % interval."""


def anova(groups: Sequence[np.ndarray]) -> Evidence:
    """One-way analysis of variance of several groups, each (n,); all equal values give p = 1."""
    groups = _rounded(groups)
    count = sum(map(len, groups))
    if len(groups) < 2 or min(map(len, groups), default=0) < 1 or count <= len(groups):
        return {"p": None}
    freedom = float(count - len(groups))
    between, within = _squares(groups)
    if between == 0 and within == 0:
        return {"statistic": 0.0, "freedom": freedom, "p": 1.0, "kruskal_p": 1.0, "effect": 0.0}
    effect = between / (between + within)
    if within == 0:
        return {"freedom": freedom, "p": None, "kruskal_p": _kruskal(groups), "effect": effect}
    found = scipy.stats.f_oneway(*groups)
    return {
        "statistic": float(found.statistic),
        "freedom": freedom,
        "p": float(found.pvalue),
        "kruskal_p": _kruskal(groups),
        "effect": effect,
    }


def welch(first: np.ndarray, second: np.ndarray) -> Evidence:
    """Welch's t-test of two groups, (n,) and (m,), which may vary differently; equal values give p = 1."""
    first, second = _rounded([first, second])
    if not len(first) or not len(second):
        return {"p": None}
    difference = float(np.mean(second) - np.mean(first))
    if min(len(first), len(second)) < 2:
        return {"p": None, "accuracy_difference": difference}
    between, within = _squares([first, second])
    if between == 0 and within == 0:
        return {"statistic": 0.0, "p": 1.0, "kruskal_p": 1.0, "effect": 0.0, "accuracy_difference": 0.0}
    effect, kruskal_p = between / (between + within), _kruskal([first, second])
    if within == 0:
        return {"p": None, "kruskal_p": kruskal_p, "effect": effect, "accuracy_difference": difference}
    found = _t_test(second, first, "two-sided")
    low, high = found.confidence_interval(0.95)
    return {
        "statistic": float(found.statistic),
        "freedom": float(found.df),
        "p": float(found.pvalue),
        "kruskal_p": kruskal_p,
        "effect": effect,
        "accuracy_difference": difference,
        "difference_low": float(low),
        "difference_high": float(high),
    }


def larger_p(first: np.ndarray, second: np.ndarray) -> float | None:
    """One-sided p of Welch's test that the first group's mean is the larger one; None where it is undefined."""
    first, second = _rounded([first, second])
    if min(len(first), len(second)) < 2:
        return None
    between, within = _squares([first, second])
    if within == 0:
        return 1.0 if between == 0 else None
    return float(_t_test(first, second, "greater").pvalue)


def significant(p: float | None, p_holm: float | None) -> Finding | None:
    """``yes`` if the adjusted p is below 5 %, ``no`` if the raw one is not, else ``undecided``; None if untested.

    A difference that is significant only before the adjustment thus counts neither way.
    """
    if p is None or p_holm is None:
        return None
    return "yes" if p_holm < ALPHA else "undecided" if p < ALPHA else "no"


def against_published(found: Finding | None, published: float | None) -> str:
    """``agrees``, ``differs`` or ``undecided``: our finding beside a published 1 (significant) or 0; else ""."""
    if found is None or published is None:
        return ""
    return "undecided" if found == "undecided" else "agrees" if (found == "yes") == bool(published) else "differs"


def _rounded(groups: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Values rounded, as rounding errors would break ties and give equal values a variance."""
    return [np.round(np.asarray(group, dtype=np.float64), DECIMALS) for group in groups]


def _squares(groups: Sequence[np.ndarray]) -> tuple[float, float]:
    """Sums of squares between and within groups, exactly 0 where nothing differs."""
    whole = np.concatenate(groups)
    if np.ptp(whole) == 0:
        return 0.0, 0.0
    within = sum(float(np.sum((group - group.mean()) ** 2)) for group in groups if np.ptp(group) > 0)
    between = sum(len(group) * float(group.mean() - whole.mean()) ** 2 for group in groups)
    return between, within


def _t_test(first: np.ndarray, second: np.ndarray, alternative: Alternative) -> Any:
    with warnings.catch_warnings():
        # One of two groups may be constant, such as where every repetition loses every input; its variance 0 is exact.
        warnings.filterwarnings("ignore", "Precision loss occurred", RuntimeWarning)
        return scipy.stats.ttest_ind(first, second, equal_var=False, alternative=alternative)


def _kruskal(groups: Sequence[np.ndarray]) -> float:
    return float(scipy.stats.kruskal(*groups).pvalue)
