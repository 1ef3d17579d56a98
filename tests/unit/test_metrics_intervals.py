"""Intervals of rates over inputs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from quantrift.metrics.intervals import intervals, wilson

Row = Callable[..., dict[str, Any]]


def by_metric(*searches: dict[str, object]) -> Any:
    """The intervals of a table of searches (a data frame), indexed by metric."""
    return intervals(pd.DataFrame(searches)).set_index("metric")


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_matches_published_values(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_wilson_without_trials_is_undefined() -> None:
    assert np.isnan(wilson(0, 0)).all()


def test_success_rate_has_the_interval_of_all_inputs_pooled(found: Row) -> None:
    row = by_metric(*[found(seed, 10 * seed + n, int(n < 5)) for seed in (0, 1) for n in range(10)]).loc["sr"]
    assert row["median"] == 0.5
    assert (row["low"], row["high"]) == pytest.approx(wilson(10, 20))


def test_inputs_shared_by_run_seeds_count_once_as_trials(found: Row) -> None:
    row = by_metric(*[found(seed, n, int(n < 5)) for seed in (0, 1) for n in range(10)]).loc["sr"]
    assert (row["low"], row["high"]) == pytest.approx(wilson(5, 10))


def test_a_rate_that_is_the_same_for_all_inputs_has_no_width(found: Row) -> None:
    row = by_metric(*[found(0, n, 20) for n in range(10)]).loc["dir"]
    assert row[["median", "low", "high", "mean", "mean_low"]].tolist() == [0.2] * 5


def test_bootstrap_has_the_spread_of_the_mean_over_inputs(found: Row) -> None:
    row = by_metric(*[found(0, n, 20 * (n % 2)) for n in range(100)]).loc["dir"]
    # Rates .0 and .2 in equal parts: standard deviation .1, of the mean of 100 inputs .01.
    assert (row["low"], row["high"]) == pytest.approx((0.1 - 0.0196, 0.1 + 0.0196), abs=0.003)


def test_without_any_difference_the_upper_end_comes_from_the_inputs(search: Row) -> None:
    rows = by_metric(*[search(0, n, valid=5 * (n < 4)) for n in range(10)])
    assert rows.loc["dir", ["low", "high"]].tolist() == pytest.approx(wilson(0, 10))
    assert rows.loc["dir_valid", ["low", "high"]].tolist() == pytest.approx(wilson(0, 4))


def test_run_seeds_that_are_zero_are_counted_and_the_mean_shown(found: Row) -> None:
    rows = by_metric(*[found(seed, seed, 10 * (seed == 0)) for seed in range(3)])
    assert rows.loc["dir", ["run_seeds", "zero_run_seeds", "median"]].tolist() == [3, 2, 0]
    assert rows.loc["dir", "mean"] == pytest.approx(0.1 / 3)


def test_where_nothing_is_valid_dir_valid_has_neither_value_nor_interval(search: Row) -> None:
    row = by_metric(*[search(0, n, valid=0) for n in range(3)]).loc["dir_valid"]
    assert row["run_seeds"] == 0
    assert row[["median", "low", "high", "mean"]].isna().all()
