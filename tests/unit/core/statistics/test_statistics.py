"""Paired statistics, against scipy, published examples and cases worked out by hand."""

import numpy as np
import pytest
from scipy import stats

from quantrift.core.statistics.signed_rank import (
    a12,
    magnitude,
    null_distribution,
    pratt_p,
    published_p,
    rank_biserial,
    shift,
)
from quantrift.core.statistics.statistics import compare, holm

# Hollander and Wolfe, depression scale of nine patients; R: wilcox.test(x, y, paired = TRUE, conf.int = TRUE).
BEFORE = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
AFTER = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])


def test_published_example_of_the_signed_rank_test() -> None:
    result = compare(BEFORE, AFTER)
    assert result["p"] == 0.0390625
    assert result["p_min"] == 2 / 2**9
    assert (result["shift"], result["shift_low"], result["shift_high"]) == pytest.approx((0.46, 0.01, 0.786))
    assert result["rank_biserial"] == pytest.approx((40 - 5) / 45)


def test_zeros_are_ranked_and_dropped_afterwards() -> None:
    # Ranks 2, 3, 4, -5, 6 remain. Their sum is 10; 6 of 32 patterns have negative ranks of at most 5, as many mirror.
    differences = np.array([0, 1, 2, 3, -4, 5])
    assert pratt_p(differences) == (12 / 32, 2 / 32)
    assert rank_biserial(differences) == 0.5


def test_published_style_drops_zeros_first() -> None:
    differences = np.array([0, 0.1, 0.2, 0.3, -0.4, 0.5, 0.6])
    assert published_p(differences) == stats.wilcoxon(differences, zero_method="wilcox").pvalue


def test_rounding_errors_neither_break_ties_nor_hide_zeros() -> None:
    exact = np.array([0.1, 0.1, 0.1, -0.1, 0.1, 0.1, 0.0])
    noisy = np.array([0.3 - 0.2, 0.2 - 0.1, 0.9 - 0.8, 0.6 - 0.7, 0.1, 0.4 - 0.3, 0.1 + 0.2 - 0.3])
    assert pratt_p(noisy) == pratt_p(exact)


def test_equal_series_give_p_one() -> None:
    result = compare(np.full(10, 0.2), np.full(10, 0.2))
    assert list(result.values()) == [10, 1.0, 1.0, None, 0.5, "negligible", 0.0, 0.0, 0.0, 0.0]


def test_below_six_pairs_there_is_an_effect_size_and_no_p() -> None:
    result = compare(np.array([0.2, 0.3, 0.4, 0.5, 0.6]), np.zeros(5))
    assert (result["p"], result["p_min"], result["p_as_published"], result["shift_low"]) == (None, None, None, None)
    assert (result["a12"], result["magnitude"], result["shift"]) == (1.0, "large", 0.4)


def test_run_seeds_that_share_inputs_get_neither_p_nor_interval() -> None:
    result = compare(BEFORE, AFTER, test=False)
    assert [result[name] for name in ("p", "p_as_published", "shift_low", "shift_high")] == [None] * 4
    assert result["a12"] == compare(BEFORE, AFTER)["a12"]


def test_pairs_with_an_undefined_value_are_left_out() -> None:
    assert compare(np.append(BEFORE, np.nan), np.append(AFTER, 1.0)) == compare(BEFORE, AFTER)
    assert compare(np.array([np.nan]), np.array([1.0])) == dict.fromkeys(compare(BEFORE, AFTER)) | {"pairs": 0}


def test_sign_flips_approach_the_exact_p_and_repeat_with_their_seed() -> None:
    ranks = np.arange(1, 26) * np.where(np.arange(25) % 3 == 0, -1, 1)
    smaller = min(ranks[ranks > 0].sum(), -ranks[ranks < 0].sum())
    exact = 2 * null_distribution(25)[: smaller + 1].sum()
    result = pratt_p(ranks.astype(float), seed=4)
    assert result is not None
    assert result[0] == pytest.approx(exact, abs=0.005)
    assert result == pratt_p(ranks.astype(float), seed=4)


def test_many_pairs_in_one_direction_reach_the_attainable_minimum() -> None:
    assert pratt_p(np.arange(1.0, 51.0)) == (1 / 100_001, 1 / 100_001)


def test_enumeration_reaches_twenty_pairs() -> None:
    assert pratt_p(np.arange(1.0, 21.0)) == (2.0**-19, 2.0**-19)


def test_six_pairs_take_the_whole_range_of_walsh_averages_as_interval() -> None:
    assert shift(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])) == (3.5, 1.0, 6.0)


def test_rounding_errors_of_means_are_no_shift() -> None:
    assert shift(np.array([0.3 - 0.2 - 0.1, 0.1 + 0.2 - 0.3, -1e-17]))[0] == 0
    assert str(shift(np.array([-1e-17]))[0]) == "0.0"


def test_a12_counts_wins_and_half_of_the_ties() -> None:
    # Of 6 pairs: 3 > 1, 3 > 2, 2 > 1 win, 2 = 2 ties; 1 = 1 ties, 1 < 2 loses.
    assert a12(np.array([3, 2, 1]), np.array([1, 2])) == pytest.approx((3 + 2 / 2) / 6)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (0.5, "negligible"),
        (0.573, "negligible"),
        (0.5735, "small"),
        (0.4265, "small"),
        (0.665, "medium"),
        (0.737, "large"),
        (0.0, "large"),
    ],
)
def test_magnitude_starts_at_the_published_thresholds(value: float, word: str) -> None:
    assert magnitude(value) == word


def test_holm_steps_down_and_skips_missing_tests() -> None:
    # .01 * 3, .03 * 2, then .06 holds for .04 * 1 too.
    assert holm([0.04, None, 0.01, 0.03]) == pytest.approx([0.06, None, 0.03, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
