"""Tests that name the larger group, against scipy and cases worked out by hand."""

import numpy as np
import pytest
from scipy import stats

from quantrift.core.statistics.signed_rank import Alternative, mann_whitney, null_distribution, pratt_p
from quantrift.core.statistics.statistics import Evidence, evidence

DIRECTIONS: tuple[Alternative, ...] = ("greater", "less")


def test_zeros_are_ranked_and_dropped_in_one_direction_too() -> None:
    # Ranks 2, 3, 4, -5, 6 remain. Negative ranks of at most 5 in sum: none, 2, 3, 4, 5 and 2 + 3; of at least 5: all
    # other 26 patterns, and 5 and 2 + 3.
    differences = np.array([0, 1, 2, 3, -4, 5])
    assert pratt_p(differences, alternative="greater") == (6 / 32, 1 / 32)
    assert pratt_p(differences, alternative="less") == (28 / 32, 1 / 32)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_signed_ranks_without_ties_are_those_of_scipy(alternative: Alternative) -> None:
    differences = np.random.default_rng(5).normal(size=12) + 0.3
    found = pratt_p(differences, alternative=alternative)
    assert found is not None
    assert found[0] == pytest.approx(stats.wilcoxon(differences, alternative=alternative, method="exact").pvalue)


def test_sign_flips_in_one_direction_approach_the_exact_p() -> None:
    ranks = np.arange(1, 26) * np.where(np.arange(25) % 3 == 0, -1, 1)
    exact = null_distribution(25)[: -ranks[ranks < 0].sum() + 1].sum()
    found = pratt_p(ranks.astype(float), 4, "greater")
    assert found is not None
    assert found[0] == pytest.approx(exact, abs=0.005)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_rank_sums_without_ties_are_those_of_scipy(alternative: Alternative) -> None:
    random = np.random.default_rng(6)
    first, second = random.normal(size=9) + 0.5, random.normal(size=7)
    found = mann_whitney(first, second, alternative)
    assert found is not None
    assert found[0] == pytest.approx(stats.mannwhitneyu(first, second, alternative=alternative, method="exact").pvalue)


@pytest.mark.parametrize("alternative", DIRECTIONS)
def test_ties_of_rank_sums_are_those_of_scipys_permutation_test(alternative: Alternative) -> None:
    first, second = np.array([1, 2, 2, 3, 3, 0, 2.0]), np.array([0, 1, 1, 2, 4, 1.0])

    def rank_sum(one: np.ndarray, other: np.ndarray) -> float:
        return stats.rankdata(np.concatenate([one, other]))[: len(one)].sum()

    reference = stats.permutation_test((first, second), rank_sum, alternative=alternative, n_resamples=np.inf)
    found = mann_whitney(first, second, alternative)
    assert found is not None
    assert found[0] == pytest.approx(reference.pvalue)
    assert found[1] <= found[0]


def test_six_against_six_that_do_not_overlap_reach_the_smallest_p() -> None:
    low, high = np.arange(6), np.arange(6) + 10
    assert mann_whitney(high, low, "greater") == pytest.approx((1 / 924, 1 / 924))
    assert mann_whitney(low, high, "greater") == pytest.approx((1.0, 1 / 924))
    assert mann_whitney(high, low) == pytest.approx((2 / 924, 2 / 924))


def test_ranks_of_groups_of_fifty_are_summed_exactly() -> None:
    random = np.random.default_rng(7)
    first, second = random.normal(size=50) + 1, random.normal(size=50)
    reference = stats.mannwhitneyu(first, second, alternative="greater", method="exact").pvalue
    assert mann_whitney(first, second, "greater") == pytest.approx((reference, 0), rel=1e-9, abs=1e-28)


def test_equal_values_give_p_one_and_fewer_than_six_none() -> None:
    assert mann_whitney(np.full(6, 0.2), np.full(8, 0.2)) == (1.0, 1.0)
    assert mann_whitney(np.arange(6), np.arange(5)) is None


def test_rounding_errors_do_not_break_ties_of_rank_sums() -> None:
    exact = np.array([0.1, 0.1, 0.2, 0.3, 0.4, 0.5])
    noisy = np.array([0.3 - 0.2, 0.1, 0.2, 0.1 + 0.2, 0.4, 0.5])
    other = np.array([0.1, 0.3, 0.3, 0.2, 0.1, 0.0])
    assert mann_whitney(noisy, other) == mann_whitney(exact, other)


def test_evidence_speaks_for_one_direction_and_against_the_other() -> None:
    first, second = np.arange(8.0) + 1, np.arange(8.0)
    assert evidence(first, second, paired=True) == Evidence(8, 2.0**-8, 1.0, 2.0**-8, 36 / 64 + 7 / 128)
    assert evidence(second, first, paired=True) == Evidence(8, 1.0, 2.0**-8, 2.0**-8, 1 - 36 / 64 - 7 / 128)


def test_evidence_leaves_undefined_values_out_in_pairs_or_singly() -> None:
    first, second = np.append(np.arange(7.0) + 10, np.nan), np.arange(8.0)
    assert evidence(first, second, paired=True).p == 2.0**-7
    # One of the ways to choose 7 of 15.
    assert evidence(first, second, paired=False).p == pytest.approx(1 / 6435)
    assert evidence(np.array([np.nan]), np.array([1.0]), paired=True) == Evidence(0)


def test_without_independent_run_seeds_there_is_an_effect_size_alone() -> None:
    assert evidence(np.arange(8.0) + 9, np.arange(8.0), paired=True, test=False) == Evidence(8, a12=1.0)
    assert evidence(np.arange(5.0) + 9, np.arange(5.0), paired=False) == Evidence(5, a12=1.0)
