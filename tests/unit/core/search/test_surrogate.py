"""The search by Gaussian processes: the probability that it maximises, and how soon it finds what is rare."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.messages import Ask, Problem
from quantrift.core.search.searchers import surrogate
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import neighbourhood

SHAPE = (9, 9, 1)
OF = "shift=2+brightness=20"
SPACE: Any = neighbourhood.bind(neighbourhood.Params(OF), Domain(SHAPE, 0.0, 1.0))
CONTINUOUS: Any = SimpleNamespace(
    shape=(3,), lower=-np.ones(3, np.float32), upper=np.ones(3, np.float32), integer=np.zeros(3, bool)
)
CONTINUOUS.sample = lambda n, rng: rng.uniform(-1, 1, (n, 3)).astype(np.float32)


def logits(places: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits of three classes, smooth in the place, and those of a network with small errors of two kinds."""
    rng = np.random.default_rng(seed)
    weights, waves, middle = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(0, 3, 3)
    weights, waves = weights[: places.shape[1]], waves[: places.shape[1]]
    original = places @ weights + np.sin(2 * places) @ waves + middle
    error = 0.05 * np.cos(3 * places) @ waves
    return original, np.round((original + error) * 16) / 16


def run(seed: int, evaluations: int, space: Any = SPACE, forbidden: Any = None) -> list[Ask]:
    problem = Problem("d", 0, (0,), np.zeros((1, *SHAPE), np.float32), (0,), space, 1, evaluations)
    search = surrogate.search(problem, surrogate.Params(), np.random.default_rng(seed))
    asks = [next(search)]
    while True:
        candidates = asks[-1].candidates
        first, second = logits(scaled(candidates, space), seed)
        violation = np.zeros(len(candidates)) if forbidden is None else forbidden(candidates)
        hidden = np.where(violation > 0, np.nan, 1)[:, None]
        tell: Any = SimpleNamespace(out_original=first * hidden, out_compressed=second * hidden, violation=violation)
        try:
            asks.append(search.send(tell))
        except StopIteration:
            return asks


def scaled(candidates: np.ndarray, space: Any = SPACE) -> np.ndarray:
    places: np.ndarray = 2 * (candidates - space.lower) / (space.upper - space.lower) - 1
    return places


def wrong(candidates: np.ndarray, seed: int) -> np.ndarray:
    first, second = logits(scaled(candidates), seed)
    differs: np.ndarray = first.argmax(axis=1) != second.argmax(axis=1)
    return differs


@given(st.integers(0, 2**32 - 1))
def test_the_probability_is_that_of_drawn_logits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mean, change = rng.normal(size=(1, 2)), rng.normal(0, 0.3, (1, 2))
    variance, of_change = rng.uniform(0.05, 1, 1), rng.uniform(0.001, 0.1, 1)
    [found] = surrogate.differing(mean, variance, change, of_change)
    drawn = mean + rng.normal(size=(40_000, 2)) * np.sqrt(variance)
    moved = drawn + change + rng.normal(size=(40_000, 2)) * np.sqrt(of_change)
    assert found == pytest.approx((drawn.argmax(axis=1) != moved.argmax(axis=1)).mean(), abs=0.015)


def test_rare_disagreements_are_found_far_sooner_than_by_chance() -> None:
    every = SPACE.part(0, SPACE.neighbourhood.size)
    soon, expected, seeds = 0, 0.0, 0
    for seed in range(40):
        share = wrong(every, seed).mean()
        if not 0 < share < 0.03:
            continue
        seeds += 1
        soon += bool(wrong(np.concatenate([ask.candidates for ask in run(seed, 60)]), seed).any())
        expected += 1 - (1 - share) ** 60
    assert seeds >= 10
    assert expected < 0.6 * seeds
    assert soon >= 0.9 * seeds


def test_no_candidate_is_asked_for_twice_and_a_search_ends_with_the_last_member() -> None:
    asks = run(0, 400)
    candidates = np.concatenate([ask.candidates for ask in asks])
    assert len(np.unique(candidates, axis=0)) == len(candidates) == 400
    assert [len(ask.candidates) for ask in asks[:3]] == [12, 4, 4]
    # A twentieth of what is known.
    assert len(asks[-2].candidates) > 15
    small: Any = neighbourhood.bind(neighbourhood.Params("brightness=9"), Domain(SHAPE, 0.0, 1.0))
    assert sum(len(ask.candidates) for ask in run(0, 100, small)) == 19


def test_the_first_candidates_are_the_middle_and_the_corners() -> None:
    first = run(0, 60)[0].candidates
    assert np.array_equal(first[0], SPACE.neighbourhood.home)
    corners = {tuple(one) for one in np.abs(scaled(first[1:9]))}
    assert corners == {(1.0, 1.0, 1.0)}


def test_candidates_that_violate_the_constraint_are_avoided() -> None:
    def high(candidates: np.ndarray) -> np.ndarray:
        violation: np.ndarray = np.maximum(candidates[:, 0], 0)
        return violation

    asks = run(1, 120, CONTINUOUS, high)
    valid = [bool((high(ask.candidates) == 0).mean() > 0.5) for ask in asks]
    assert np.mean(valid[-10:]) > 0.8


def test_a_search_of_a_batch_of_inputs_is_refused() -> None:
    problem = Problem("d", 0, (0, 1), np.zeros((2, *SHAPE), np.float32), (0, 0), SPACE, 1, 60)
    with pytest.raises(QuantriftError, match="take a protocol without batches"):
        next(surrogate.search(problem, surrogate.Params(), np.random.default_rng(0)))
