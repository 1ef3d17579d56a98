"""Intervals and tests keep their levels over many repetitions, by simulation."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from quantrift.core.statistics.intervals import intervals, median, of_inputs, wilson
from quantrift.core.statistics.signed_rank import pratt_p, shift

REPEATS = 100
# Three standard errors of a share of 95 % in so many repetitions.
SLACK = 3 * np.sqrt(0.95 * 0.05 / REPEATS)


def searches(rng: np.random.Generator, run_seeds: int, inputs: int, block: int = 1) -> pd.DataFrame:
    """Searches of 100 candidates; a block's own rate, drawn from Beta(1, 3), makes its candidates depend on it.

    A quarter of the valid candidates differ, and half of all are valid. ``block`` inputs in a row are one block.
    """
    n = run_seeds * inputs
    cluster = np.arange(n) // block
    valid = rng.integers(40, 61, n)
    dii = rng.binomial(valid, rng.beta(1, 3, n)[cluster])
    return pd.DataFrame(
        {
            "run_seed": np.repeat(np.arange(run_seeds), inputs),
            "input": np.arange(n),
            "cluster": cluster,
            "seed_disagrees": False,
            "generated": 100,
            "distinct": 100,
            "valid": valid,
            "dii": dii,
            "dii_distinct": dii,
            "memberships": 100,
            "dii_memberships": dii,
        }
    )


TRUTH = {"dir": 0.125, "dir_valid": 0.25, "dir_unique": 0.125, "vr": 0.5}


@pytest.mark.parametrize(("run_seeds", "inputs", "block"), [(3, 30, 1), (3, 30, 3), (1, 12, 1), (10, 8, 1)])
def test_intervals_of_pooled_shares_hold_the_true_rate_in_95_of_100(run_seeds: int, inputs: int, block: int) -> None:
    rng = np.random.default_rng(7)
    held = dict.fromkeys(TRUTH, 0)
    for _ in range(REPEATS):
        rows: Any = pd.DataFrame(intervals(searches(rng, run_seeds, inputs, block))).set_index("metric")
        for rate, true in TRUTH.items():
            held[rate] += int(rows.loc[rate, "pooled_low"] <= true <= rows.loc[rate, "pooled_high"])
    for rate, count in held.items():
        # Of few inputs with rates as skew as these, they fall short by some points.
        assert 0.95 - SLACK - (0.04 if run_seeds * inputs < 30 else 0.01) <= count / REPEATS, (rate, count)


@pytest.mark.parametrize("run_seeds", [6, 10, 25])
def test_intervals_of_medians_hold_that_of_all_run_seeds_at_least_95_times_of_100(run_seeds: int) -> None:
    rng = np.random.default_rng(3)
    # In steps, so that run seeds tie: the median of Binomial(20, 0.1) is 2.
    held = [low <= 2 <= high for _, low, high in (median(rng.binomial(20, 0.1, run_seeds)) for _ in range(1000))]
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 1000)


def test_intervals_of_success_hold_the_true_share_where_inputs_of_a_block_succeed_alike() -> None:
    rng = np.random.default_rng(5)
    clusters = np.arange(120) // 4
    shares = [of_inputs(clusters, rng.random(120) < rng.beta(1, 2, 30)[clusters]) for _ in range(400)]
    held = np.mean([share.low <= 1 / 3 <= share.high for share in shares])
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400) <= held
    # Were they taken as independent, it would be held far less often.
    assert np.mean([low <= 1 / 3 <= high for low, high in (wilson(120 * s.share, 120) for s in shares)]) < 0.9


def test_an_interval_over_candidates_instead_of_inputs_would_be_far_too_narrow() -> None:
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(REPEATS):
        table = searches(rng, run_seeds=3, inputs=30)
        low, high = wilson(int(table["dii"].sum()), int(table["generated"].sum()))
        held += low <= 0.125 <= high
    assert held / REPEATS < 0.7


def test_wilson_intervals_hold_the_true_share_in_about_95_of_100() -> None:
    # Exactly, by the binomial distribution.
    for trials, share in ((20, 0.1), (80, 0.02), (800, 0.4)):
        counts = np.arange(trials + 1)
        held = [low <= share <= high for low, high in (wilson(count, trials) for count in range(trials + 1))]
        assert stats.binom.pmf(counts, trials, share)[held].sum() == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize("pairs", [8, 30])
def test_without_a_difference_five_p_values_of_100_are_below_5_percent(pairs: int) -> None:
    rng = np.random.default_rng(3)
    repeats = 400 if pairs <= 20 else 60
    # Rates in steps: ties, and differences of zero.
    differences = rng.integers(-4, 5, size=(repeats, pairs)) / 80
    below = np.mean([result[0] < 0.05 for row in differences if (result := pratt_p(row)) is not None])
    assert below <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_many_pairs_agree_with_scipys_normal_approximation_of_pratts_test() -> None:
    rng = np.random.default_rng(5)
    for centre in (0, 1, 2):
        differences = rng.integers(-6, 7, size=50) + centre
        ours, theirs = pratt_p(differences / 80), stats.wilcoxon(differences, zero_method="pratt", method="asymptotic")
        assert ours is not None
        assert ours[0] == pytest.approx(theirs.pvalue, abs=0.01)


def test_the_interval_of_the_shift_holds_the_true_shift_at_least_95_times_of_100() -> None:
    rng = np.random.default_rng(11)
    ends = [shift(row)[1:] for row in rng.normal(0.3, 1, size=(REPEATS, 10))]
    held = np.mean([low <= 0.3 <= high for low, high in ends if low is not None and high is not None])
    assert held >= 0.95 - SLACK
