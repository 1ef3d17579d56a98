"""Metropolis-Hastings over ranked operators."""

from typing import Literal

import numpy as np
import pytest
from scipy.stats import chisquare

from quantrift.core.search.searchers.metropolis_hastings import Ranking, thresholds


def accepted(rank: int, count: int, rng: np.random.Generator) -> int:
    """Algorithm 2 as it stands: draw ranks until one is accepted."""
    while True:
        drawn = int(rng.integers(count))
        if rng.random() < (1 - 1 / count) ** (drawn - rank):
            return drawn


def ranking(variant: Literal["paper", "code"], seed: int = 0) -> Ranking:
    made = Ranking(4, variant, np.random.default_rng(seed))
    made.applied[:] = [10, 10, 10, 10]
    made.gained[:] = [1, 7, 3, 5]
    return made


@pytest.mark.parametrize("rank", range(4))
def test_one_draw_chooses_like_the_loop_of_the_paper(rank: int) -> None:
    weights = np.array([min(1, 0.75 ** (other - rank)) for other in range(4)])
    expected = 6000 * weights / weights.sum()
    np.testing.assert_allclose(np.diff([0, *thresholds(rank, 4)]), weights / weights.sum())
    rng = np.random.default_rng(rank)
    looped = np.bincount([accepted(rank, 4, rng) for _ in range(6000)], minlength=4)
    assert chisquare(looped, expected).pvalue > 0.001
    # Operators by score: 1, 3, 2, 0.
    mine, order = ranking("paper", seed=rank), [1, 3, 2, 0]
    chosen = np.bincount([order.index(mine.after(order[rank])) for _ in range(6000)], minlength=4)
    assert chisquare(chosen, expected).pvalue > 0.001


def test_without_a_last_one_any_operator_is_as_likely_in_the_paper() -> None:
    mine = ranking("paper")
    assert chisquare(np.bincount([mine.after(None) for _ in range(4000)], minlength=4)).pvalue > 0.001


def test_equal_scores_keep_their_order_in_the_paper_and_change_places_in_the_code() -> None:
    shares = {}
    for variant in ("paper", "code"):
        mine = Ranking(7, variant, np.random.default_rng(1))
        mine.applied[:] = [2] * 7
        mine.gained[:] = [1] * 7
        shares[variant] = np.bincount([mine.after(0) for _ in range(7000)], minlength=7) / 7000
    weights = (6 / 7) ** np.arange(7)
    np.testing.assert_allclose(shares["paper"], weights / weights.sum(), atol=0.02)
    np.testing.assert_allclose(shares["code"], 1 / 7, atol=0.02)


@pytest.mark.parametrize("last", [None, 0, 3, 6])
def test_the_choice_of_the_code_depends_on_the_ranking_alone(last: int | None) -> None:
    mine = Ranking(7, "code", np.random.default_rng(2))
    mine.applied[:] = [10] * 7
    mine.gained[:] = [7, 6, 5, 4, 3, 2, 1]
    chosen = np.bincount([mine.after(last) for _ in range(8000)], minlength=7)
    # As the tool's loop has it, with -1 for the index of the last one: (6/7)^(k + 1) for k = 0 to 6.
    weights = (6 / 7) ** np.arange(1, 8)
    expected = 8000 * weights / weights.sum()
    np.testing.assert_allclose(expected[[0, 6]] / 8000, [0.216, 0.086], atol=5e-4)
    assert chisquare(chosen, expected).pvalue > 0.001


@pytest.mark.parametrize("variant", ["paper", "code"])
def test_an_operator_never_applied_scores_zero(variant: Literal["paper", "code"]) -> None:
    mine = Ranking(2, variant, np.random.default_rng(0))
    mine.applied[:] = [0, 5]
    mine.gained[:] = [0, 1]
    chosen = np.bincount([mine.after(1) for _ in range(6000)], minlength=2) / 6000
    np.testing.assert_allclose(chosen, [1 / 3, 2 / 3], atol=0.03)
