"""Thresholds of checkers come from other networks; ranks, and the strength at which half is caught, are as stated."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some
from sklearn.metrics import roc_auc_score

from quantrift.core.statistics.equal_alarms import Half, Scored, alarms, half, ranked, threshold

SCORES = some.lists(some.floats(-100, 100), min_size=1, max_size=60)


@given(SCORES, some.floats(0, 1))
def test_no_more_good_pairs_alarm_than_allowed_and_one_step_lower_would_be_too_many(
    scores: list[float], allowed: float
) -> None:
    found = threshold(scores, allowed)
    assert sum(score > found for score in scores) <= allowed * len(scores) + 1e-6
    assert found in scores
    if allowed < 1:
        assert sum(score >= found for score in scores) > allowed * len(scores) - 1e-6


def test_without_good_pairs_there_is_no_threshold() -> None:
    assert math.isnan(threshold([], 0.05))


@given(SCORES, SCORES, some.floats(0, 0.9))
def test_scores_of_a_network_decide_nothing_about_itself(own: list[float], others: list[float], allowed: float) -> None:
    def pairs(shift: float) -> list[Scored]:
        return [Scored("a", score + shift, good=True) for score in own] + [
            Scored("b", one, good=True) for one in others
        ]

    expected = threshold(others, allowed)
    for shift in (0.0, 1000.0):
        assert alarms(pairs(shift), allowed)[: len(own)] == [score + shift > expected for score in own]


def test_a_network_without_others_is_not_judged() -> None:
    assert alarms([Scored("a", 1.0, good=True), Scored("a", 2.0, good=False)], 0.05) == [None, None]


@given(SCORES, SCORES)
def test_ranks_are_the_area_under_the_curve_of_scikit_learn(faulty: list[float], good: list[float]) -> None:
    pairs = [Scored("a", score, good=False) for score in faulty] + [Scored("a", score, good=True) for score in good]
    # Another network, however it scores, changes nothing.
    others = [Scored("b", 1000.0, good=True), Scored("b", -1000.0, good=False)]
    found = ranked([*pairs, *others], [not one.good for one in pairs] + [False, False])
    expected = roc_auc_score([not one.good for one in pairs], [one.score for one in pairs])
    assert found == pytest.approx(expected)


def test_without_good_pairs_nothing_is_ranked() -> None:
    assert math.isnan(ranked([Scored("a", 1.0, good=False)], [True]))


def test_half_is_caught_between_two_strengths_along_their_logarithms() -> None:
    found = half({1.0: [False] * 4, 4.0: [True] * 4})
    assert found.strength == pytest.approx(2)
    assert str(found) == "2"
    assert half({1.0: [False, False, False, True], 4.0: [True] * 3 + [False]}).strength == pytest.approx(2)


def test_half_may_be_caught_at_once_or_never() -> None:
    assert half({0.5: [True], 1.0: [True]}) == Half(0.5, at_most=True)
    assert str(half({0.5: [True], 1.0: [True]})) == "≤ 0.5"
    assert str(half({0.5: [True], 1.0: [False]})) == "not reached"
