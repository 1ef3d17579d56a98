"""A search depends on its own stream alone, whatever is searched beside it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.base import search_parts
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import neighbourhood, pixels

IMAGE = (12, 12, 1)
LOWER, UPPER = np.array([-1, 0, 2, 0], np.float32), np.array([1, 3, 2, 0.5], np.float32)


def start(name: str, seed: int, generations: int) -> Search:
    space: Any = SimpleNamespace(shape=(4,), lower=LOWER, upper=UPPER, integer=np.array([False, True, False, False]))
    space.sample = lambda n, rng: (LOWER + rng.random((n, 4)) * (UPPER - LOWER)).astype(np.float32)
    searcher = search_parts.load("searcher", name)
    suited, domain = getattr(searcher, "SPACES", ()), Domain(IMAGE, 0.0, 1.0)
    evaluations = None
    if "pixels" in suited:
        space = pixels.bind(pixels.Params(), domain)
    elif "neighbourhood" in suited:
        space = neighbourhood.bind(neighbourhood.Params("pixel"), domain)
        evaluations = space.neighbourhood.size
    seen = Outputs(np.zeros((1, 3), np.float32), np.zeros((1, 3), np.float32))
    problem = Problem(
        "some", 0, (0,), np.zeros((1, *IMAGE), np.float32), (0,), space, generations, evaluations, seen=seen
    )
    search: Search = searcher.search(problem, searcher.Params(), np.random.default_rng(seed))
    return search


def answer(name: str, ask: Ask) -> Any:
    """What an engine could say, each row of its own candidate alone; with what only some searchers ask for."""
    if name == "metropolis_hastings":
        distance = ask.candidates.sum(axis=1, dtype=np.float64)[:, None]
        return SimpleNamespace(valid=np.ones(1, bool), fitness=np.concatenate([distance, *[distance % 1] * 6], axis=1))
    violation = np.maximum(0, 0.2 - ask.candidates[:, 0])
    fitness = np.where(violation > 0, np.nan, ask.candidates.sum(axis=1, dtype=np.float64))
    return SimpleNamespace(
        inputs=ask.candidates,
        valid=violation == 0,
        violation=violation,
        fitness=np.stack([fitness, -fitness], axis=1),
        out_original=ask.candidates[:, :3] * 9,
        out_compressed=ask.candidates[:, :3] * 9 + 0.1,
        labels_original=ask.candidates[:, :3].argmax(axis=1),
        disagree=ask.candidates[:, 1] > 0.5,
        gradient=ask.candidates - ask.candidates.mean(axis=1, keepdims=True) + 1,
        neurons=(ask.candidates[:, :4], ask.candidates[:, :4]),
    )


def side_by_side(name: str, seeds: list[int]) -> dict[int, np.ndarray]:
    """The candidates of searches of different length that advance in turn."""
    searches = {seed: start(name, seed, 4 + seed) for seed in seeds}
    asks = {seed: next(search) for seed, search in searches.items()}
    asked = {seed: [ask.candidates] for seed, ask in asks.items()}
    while searches:
        for seed in list(searches):
            try:
                asks[seed] = searches[seed].send(answer(name, asks[seed]))
                asked[seed].append(asks[seed].candidates)
            except StopIteration:
                del searches[seed]
    return {seed: np.concatenate(candidates) for seed, candidates in asked.items()}


@pytest.mark.parametrize("name", search_parts.available("searcher"))
def test_interleaved_searches_equal_separate_ones(name: str) -> None:
    together = side_by_side(name, [0, 1, 2])
    for seed, candidates in together.items():
        np.testing.assert_array_equal(candidates, side_by_side(name, [seed])[seed])
