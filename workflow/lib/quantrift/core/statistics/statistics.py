"""Paired comparison of two series over run seeds, and the adjustment of a table's p-values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quantrift.core.statistics.column import Column, Columns, Kind, end
from quantrift.core.statistics.signed_rank import (
    a12,
    magnitude,
    mann_whitney,
    pratt_p,
    published_p,
    rank_biserial,
    shift,
)

ALPHA = 0.05
"""A p-value below it is significant: in the thesis (Section 4.1.2), and in every table, figure and claim here."""


_SHIFT = Column(
    "shift",
    "shift",
    "points",
    "Hodges-Lehmann shift against the baseline, or the group named beside, with its 95 % interval.",
    low="shift_low",
    high="shift_high",
    no_effect=0,
    p="p_holm",
)
COLUMNS = (
    Column("pairs", "pairs", "count", "Run seeds that were compared."),
    Column("p", "p", "p", "Two-sided p-value, before correction."),
    Column("p_min", "smallest p", "p", "Smallest p-value that this number of run seeds can give."),
    Column(
        "p_holm", "p Holm", "p", "p-value after Holm's correction over the planned tests of the table, or all of them."
    ),
    Column("p_as_published", "p as published", "p", "p-value computed the way the paper computes it."),
    Column(
        "a12",
        "A12",
        "effect",
        "Probability that the first group is larger, ties counted half; no difference is 0.5.",
        no_effect=0.5,
        p="p_holm",
    ),
    Column("magnitude", "magnitude", "text", "Name of the size of A12: negligible, small, medium or large."),
    Column(
        "rank_biserial",
        "rank-biserial",
        "effect",
        "Matched-pairs rank-biserial correlation, -1 to 1.",
        no_effect=0,
        p="p_holm",
    ),
    _SHIFT,
    end("shift_low", _SHIFT),
    end("shift_high", _SHIFT),
)
"""Columns of a comparison and its adjusted p-value; ``columns`` adds the quantity to their names."""


def columns(part: str, prefix: str = "", *, shift: Kind = "points", of: Columns = COLUMNS) -> Columns:
    """Columns of the statistics of one quantity.

    Args:
        part: the quantity, for people.
        prefix: of each name, such as ``sr_`` in ``sr_p``.
        shift: kind of the shift, that of a difference of the quantity.
        of: columns to name; those of a comparison where they are not given.
    """
    return tuple(
        replace(
            column,
            name=f"{prefix}{column.name}",
            kind=shift if column.name in ("shift", "shift_low", "shift_high") else column.kind,
            meaning=f"{part}: {column.meaning[:1].lower()}{column.meaning[1:]}" if column.meaning else "",
            group="end" if column.group == "end" else "statistics",
            part=part if column.group != "end" else "",
            low=column.low and f"{prefix}{column.low}",
            high=column.high and f"{prefix}{column.high}",
            p=column.p and f"{prefix}{column.p}",
        )
        for column in of
    )


def compare(first: np.ndarray, second: np.ndarray, *, test: bool = True, seed: int = 0) -> dict[str, Any]:
    """Compare two paired series, larger being better for the orientation of the effect sizes.

    Args:
        first: (n,) values, one a run seed; NaN where undefined.
        second: (n,) values of the same run seeds.
        test: False where run seeds share inputs, so are not independent: no p-value and no interval is given.
        seed: of the sign flips above 20 pairs.

    Returns:
        Name of each of ``COLUMNS`` but ``p_holm`` -> its value; None where undefined. ``pairs``: run seeds on which
        both series are defined. ``p``: two-sided signed-rank p, zeros ranked as by Pratt, 1 when all differences are
        zero; ``p_min``: the smallest that these differences could reach; ``p_as_published``: with zeros dropped.
        ``shift``: Hodges-Lehmann estimate of first - second, in the unit of the series.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    defined = ~(np.isnan(first) | np.isnan(second))
    first, second = first[defined], second[defined]
    found: dict[str, Any] = {column.name: None for column in COLUMNS if column.name != "p_holm"} | {"pairs": len(first)}
    if not len(first):
        return found
    differences = first - second
    effect = a12(first, second)
    middle, low, high = shift(differences)
    found |= {
        "a12": effect,
        "magnitude": magnitude(effect),
        "rank_biserial": rank_biserial(differences),
        "shift": middle,
    }
    if not test:
        return found
    p, smallest = pratt_p(differences, seed) or (None, None)
    return found | {
        "p": p,
        "p_min": smallest,
        "p_as_published": published_p(differences),
        "shift_low": low,
        "shift_high": high,
    }


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's (1979) step-down adjusted p-values in the order given; a None is no test and stays None."""
    tests = sorted((p, place) for place, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (p, place) in enumerate(tests):
        largest = max(largest, min(1.0, p * (len(tests) - rank)))
        adjusted[place] = largest
    return adjusted


@dataclass(frozen=True)
class Evidence:
    """Evidence of run seeds on "the first series is larger"; None where it is undefined."""

    run_seeds: int
    """Pairs on which both series are defined; unpaired, values of the shorter series."""
    p: float | None = None
    """One-sided p for the hypothesis."""
    p_reverse: float | None = None
    """One-sided p for its reverse, that the first series is smaller."""
    p_min: float | None = None
    """Smallest p that one of the two directions could reach."""
    a12: float | None = None
    """A12, 0..1, above 0.5 where the first series is larger."""


def evidence(first: np.ndarray, second: np.ndarray, *, paired: bool, test: bool = True, seed: int = 0) -> Evidence:
    """Signed-rank (paired) or rank-sum tests in both directions, and A12.

    Args:
        first: (n,) values, one a run seed; NaN where undefined.
        second: (m,) values; of the same run seeds where ``paired``.
        paired: whether values at the same index belong together.
        test: False where run seeds share inputs, so are not independent: no p is given.
        seed: of the sign flips above 20 pairs.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    known = [~np.isnan(first), ~np.isnan(second)]
    first, second = (one[known[0] & known[1] if paired else of] for one, of in zip((first, second), known, strict=True))
    run_seeds = min(len(first), len(second))
    if not run_seeds:
        return Evidence(run_seeds=0)
    effect = a12(first, second)
    if not test:
        return Evidence(run_seeds, a12=effect)
    towards, away = (
        pratt_p(first - second, seed, way) if paired else mann_whitney(first, second, way)
        for way in ("greater", "less")
    )
    return (
        Evidence(run_seeds, towards[0], away[0], min(towards[1], away[1]), effect)
        if towards and away
        else Evidence(run_seeds, a12=effect)
    )
