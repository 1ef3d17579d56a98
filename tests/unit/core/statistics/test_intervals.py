"""Intervals of rates: each belongs to the estimate beside it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
from tests.factories.searches import found, search

from quantrift.core.statistics.intervals import ends, intervals, median, of_inputs, pooled, resampled, wilson

Row = Callable[..., dict[str, Any]]


def by_metric(*searches: dict[str, object]) -> Any:
    """The intervals of a table of searches (a data frame), indexed by metric."""
    return pd.DataFrame(intervals(pd.DataFrame(searches))).set_index("metric")


def in_one_block(*searches: dict[str, object]) -> list[dict[str, object]]:
    """The searches, two by two of one block of a scene."""
    return [row | {"cluster": 1000 + place // 2} for place, row in enumerate(searches)]


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_matches_published_values(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_wilson_without_trials_is_undefined() -> None:
    assert np.isnan(wilson(0, 0)).all()


def test_success_rate_has_the_interval_of_all_inputs_pooled() -> None:
    row = by_metric(*[found(seed, 10 * seed + n, int(n < 5)) for seed in (0, 1) for n in range(10)]).loc["sr"]
    assert row["pooled"] == 0.5
    assert (row["pooled_low"], row["pooled_high"]) == pytest.approx(wilson(10, 20))


def test_a_success_in_one_of_three_run_seeds_shifts_the_share_and_not_the_median() -> None:
    row = by_metric(*[found(n // 8, n, 20 * (n == 0)) for n in range(24)]).loc["sr"]
    assert (row["median"], row["pooled"]) == (0, pytest.approx(1 / 24))
    assert (row["pooled_low"], row["pooled_high"]) == pytest.approx(wilson(1, 24))
    assert row[["median_low", "median_high"]].isna().all()


def test_inputs_that_run_seeds_share_tell_no_more_than_once() -> None:
    rows = by_metric(*[found(seed, n, int(n < 5)) for seed in (0, 1) for n in range(10)])
    low, high = rows.loc["sr", ["pooled_low", "pooled_high"]]
    assert (low, high) == pytest.approx(wilson(5, 10), abs=0.03)
    assert low < wilson(5, 10)[0]
    assert rows[["median_low", "median_high"]].isna().all(axis=None)


def test_a_rate_that_is_the_same_for_all_inputs_has_no_width() -> None:
    row = by_metric(*[found(0, n, 20) for n in range(10)]).loc["dir"]
    assert row[["median", "pooled", "pooled_low", "pooled_high"]].tolist() == [0.2] * 4


def test_bootstrap_has_the_spread_of_the_mean_over_inputs() -> None:
    row = by_metric(*[found(0, n, 20 * (n % 2)) for n in range(100)]).loc["dir"]
    # Rates .0 and .2 in equal parts: standard deviation .1, of the mean of 100 inputs .01.
    assert (row["pooled_low"], row["pooled_high"]) == pytest.approx((0.1 - 0.0196, 0.1 + 0.0196), abs=0.003)


@pytest.mark.parametrize(
    ("clusters", "t", "tail"),
    # Student's t from its table, for one degree of freedom less; the normal distribution beyond it from its own.
    [(3, -4.30265, 6.84e-8), (10, -2.26216, 0.00855), (30, -2.04523, 0.01875), (1000, -1.96234, 0.024804)],
)
def test_ends_lie_as_far_out_as_students_t_beyond_the_normal_distribution(clusters: int, t: float, tail: float) -> None:
    assert scipy.stats.norm.cdf(t * np.sqrt(clusters / (clusters - 1))) == pytest.approx(tail, rel=2e-3)
    drawn = np.linspace(0, 1, 1_000_001)
    assert ends(0.5, drawn, clusters) == pytest.approx((tail, 1 - tail), abs=2e-5)


def test_ends_contain_the_estimate_and_need_three_clusters() -> None:
    drawn = np.array([0.4, 0.5, np.nan, 0.6])
    assert ends(0.3, drawn, 50)[0] == 0.3
    assert ends(0.7, drawn, 50)[1] == 0.7
    assert np.isfinite(ends(0.5, drawn, 3)).all()
    assert np.isnan(ends(0.5, drawn, 2)).all()
    assert np.isnan(ends(np.nan, drawn, 50)).all()


def test_resamples_are_as_many_as_stated_and_draw_as_many_clusters_as_there_are() -> None:
    drawn = resampled(np.arange(5), np.stack([np.ones(5, int), np.arange(5)], axis=1))
    assert drawn.shape == (2000, 2)
    assert (drawn[:, 0] == 5).all()
    # The mean of five draws from 0..4 has mean 2 and variance 2 / 5.
    assert drawn[:, 1].mean() / 5 == pytest.approx(2, abs=0.05)
    assert (drawn[:, 1] / 5).var() == pytest.approx(0.4, rel=0.1)


def test_patches_of_one_block_of_a_scene_are_drawn_together() -> None:
    # Inputs of a block find alike, so that blocks count.
    alike = [found(0, n, 20 * (n // 2 % 2)) for n in range(100)]
    apart, together = by_metric(*alike), by_metric(*in_one_block(*alike))
    assert together.loc["dir", "clusters"] == 50
    for rate in ("dir", "sr"):
        width = [rows.loc[rate, "pooled_high"] - rows.loc[rate, "pooled_low"] for rows in (apart, together)]
        assert width[1] / width[0] == pytest.approx(np.sqrt(2), rel=0.1)
    few = by_metric(*in_one_block(*[found(0, n, 20 * (n < 3)) for n in range(20)]))
    assert few.loc["dir", "rests_on"] == "two spatial blocks"


def test_without_any_difference_the_upper_end_comes_from_the_inputs() -> None:
    rows = by_metric(*[search(0, n, valid=5 * (n < 4)) for n in range(10)])
    assert rows.loc["dir", ["pooled_low", "pooled_high"]].tolist() == pytest.approx(wilson(0, 10))
    assert rows.loc["dir_valid", ["pooled_low", "pooled_high"]].tolist() == pytest.approx(wilson(0, 4))


def test_where_everything_is_valid_the_lower_end_comes_from_the_inputs() -> None:
    row = by_metric(*[search(0, n, valid=100) for n in range(10)]).loc["vr"]
    assert row[["pooled", "pooled_low", "pooled_high"]].tolist() == pytest.approx([1, *wilson(10, 10)])


@pytest.mark.parametrize(("hits", "words"), [(1, "one seed input"), (2, "two seed inputs"), (3, "")])
def test_the_spread_of_fewer_than_three_inputs_with_an_event_is_no_interval(hits: int, words: str) -> None:
    rows = by_metric(*[found(0, n, 20 * (n < hits)) for n in range(24)])
    assert rows.loc["dir", "pooled"] == pytest.approx(0.2 * hits / 24)
    assert rows.loc["dir", ["pooled_low", "pooled_high"]].isna().all() == bool(words)
    assert rows.loc[["dir", "sr"], "rests_on"].tolist() == [words] * 2
    # Wilson's rests on the number of inputs, and not on how they differ.
    assert rows.loc["sr", ["pooled_low", "pooled_high"]].tolist() == pytest.approx(wilson(hits, 24))


def test_the_median_over_run_seeds_lies_between_two_of_them_in_order() -> None:
    # With n values, the binomial distribution of n fair coins says which; as R's and SciPy's tables of the sign test.
    for count, place in ((6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (20, 6), (25, 8)):
        values = np.random.default_rng(count).permutation(np.arange(1.0, count + 1))
        assert median(values) == ((count + 1) / 2, place, count + 1 - place)
    assert np.isnan(median(np.arange(5.0))[1:]).all()


def test_run_seeds_that_are_zero_are_counted() -> None:
    rows = by_metric(*[found(seed, seed, 10 * (seed == 0)) for seed in range(3)])
    assert rows.loc["dir", ["run_seeds", "zero_run_seeds", "median"]].tolist() == [3, 2, 0]
    assert rows.loc["dir", "pooled"] == pytest.approx(0.1 / 3)


def test_where_nothing_is_valid_dir_valid_has_neither_value_nor_interval() -> None:
    row = by_metric(*[search(0, n, valid=0) for n in range(3)]).loc["dir_valid"]
    assert row["run_seeds"] == 0
    assert row[["median", "median_low", "pooled", "pooled_low", "pooled_high"]].isna().all()


def test_inputs_on_which_the_models_disagree_before_any_search_have_a_share() -> None:
    row = by_metric(*[search(0, n, seed_disagrees=n < 3) for n in range(10)]).loc["differing_share"]
    assert row[["median", "pooled", "pooled_low", "pooled_high"]].tolist() == pytest.approx([0.3, 0.3, *wilson(3, 10)])


def test_draws_are_those_of_the_number_of_clusters_alone() -> None:
    counts = np.arange(20).reshape(10, 2)
    drawn = resampled(np.arange(10), counts)
    assert np.array_equal(drawn, resampled(np.arange(10)[::-1], counts[::-1]))
    assert np.array_equal(drawn[:, 0], resampled(np.arange(10), counts[:, :1])[:, 0])


def test_nothing_at_all_has_no_share() -> None:
    nothing = np.empty(0, np.int64)
    for share in (pooled(nothing, nothing, nothing), of_inputs(nothing, nothing)):
        assert np.isnan([share.share, share.low, share.high]).all()
        assert share.rests_on == ""
