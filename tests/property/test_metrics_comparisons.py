"""Paired comparisons agree with independent computations on whatever they are given."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quantrift.core.statistics.signed_rank import a12, pratt_p, shift, signed_ranks
from quantrift.core.statistics.statistics import compare, holm

whole = st.lists(st.integers(-5, 5), min_size=6, max_size=9).map(lambda values: np.array(values, dtype=float))
fractions = st.lists(st.integers(0, 40), min_size=6, max_size=9).map(lambda values: np.array(values) / 40)


@settings(max_examples=40)
@given(whole)
def test_exact_p_is_that_of_scipys_permutation_test(differences: np.ndarray) -> None:
    result = pratt_p(differences)
    assert result is not None
    ranks = signed_ranks(differences)
    if len(ranks) < 2:
        assert result[0] == 1.0
        return
    # scipy doubles the smaller tail; the null distribution is symmetric, so that is the two-sided p, at most 1.
    reference = stats.permutation_test((ranks,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert result[0] == pytest.approx(min(1.0, reference.pvalue))
    assert result[1] <= result[0]


@given(st.permutations([1.0, 2.5, 3.0, 4.5, 5.0, 6.5, 7.0, 8.5]), st.lists(st.booleans(), min_size=8, max_size=8))
def test_without_ties_p_is_that_of_scipys_wilcoxon(sizes: list[float], signs: list[bool]) -> None:
    differences = np.where(signs, sizes, np.negative(sizes))
    result = pratt_p(differences)
    assert result is not None
    assert result[0] == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


@settings(max_examples=40)
@given(fractions, fractions)
def test_exchanging_the_groups_mirrors_everything_but_p(first: np.ndarray, second: np.ndarray) -> None:
    size = min(len(first), len(second))
    there, back = compare(first[:size], second[:size]), compare(second[:size], first[:size])
    assert (there["p"], there["p_min"], there["magnitude"]) == (back["p"], back["p_min"], back["magnitude"])
    for name, other, total in (
        ("a12", "a12", 1),
        ("rank_biserial", "rank_biserial", 0),
        ("shift", "shift", 0),
        ("shift_low", "shift_high", 0),
    ):
        assert there[name] + back[other] == pytest.approx(total, abs=1e-12)


@given(fractions, fractions)
def test_a12_is_mann_whitneys_u_over_the_number_of_pairs(first: np.ndarray, second: np.ndarray) -> None:
    statistic = stats.mannwhitneyu(first, second).statistic
    assert a12(first, second) == pytest.approx(statistic / (len(first) * len(second)))


@given(fractions, st.floats(-1, 1))
def test_shift_follows_a_constant(differences: np.ndarray, constant: float) -> None:
    before, after = np.array(shift(differences), dtype=float), np.array(shift(differences + constant), dtype=float)
    assert after == pytest.approx(before + constant, abs=1e-12)
    assert before[1] <= before[0] <= before[2]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_a_p_and_keeps_their_order(values: list[float]) -> None:
    adjusted = [p for p in holm(values) if p is not None]
    assert all(raw <= p <= 1 for raw, p in zip(values, adjusted, strict=True))
    ordered = [p for _, p in sorted(zip(values, adjusted, strict=True))]
    assert ordered == sorted(ordered)
    assert min(adjusted) == min(1.0, min(values) * len(values))


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closure_of_bonferroni(values: list[float]) -> None:
    # A hypothesis falls when every intersection that contains it falls by Bonferroni: the largest of their p-values.
    places = range(len(values))
    subsets = [subset for size in places for subset in combinations(places, size + 1)]
    expected = [
        max(min(1.0, len(subset) * min(values[one] for one in subset)) for subset in subsets if place in subset)
        for place in places
    ]
    assert holm(values) == pytest.approx(expected)


@settings(max_examples=15)
@given(fractions, st.floats(0.001, 1))
def test_raising_the_first_group_never_lowers_its_effect_sizes(values: np.ndarray, more: float) -> None:
    rng = np.random.default_rng(0)
    other = rng.permutation(values)
    before, after = compare(values, other), compare(values + more, other)
    for name in ("a12", "rank_biserial", "shift"):
        assert after[name] >= before[name] - 1e-12
