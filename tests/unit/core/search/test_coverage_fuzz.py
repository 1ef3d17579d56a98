"""TensorFuzz as its authors' code: a corpus of what gave new logits, mutated within bounds."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.search.messages import Ask, Problem
from quantrift.core.search.searchers.coverage_fuzz import Params, sampled, search
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels

IMAGE = (4, 5, 1)


def asked(
    params: Params, logits: Any, generations: int = 6, evaluations: int | None = None, **domain: float
) -> list[np.ndarray]:
    """Candidates of each step of a search whose original answers with ``logits`` of the inputs."""
    limits = {"low": 0.0, "high": 1.0} | domain
    space = pixels.bind(pixels.Params(levels=None), Domain(IMAGE, limits["low"], limits["high"]))
    seed = np.random.default_rng(3).uniform(limits["low"], limits["high"], (1, *IMAGE)).astype(np.float32)
    problem = Problem("d", 0, (0,), seed, (0,), space, generations, evaluations)
    running = search(problem, params, np.random.default_rng(0))
    steps, ask = [], next(running)
    while isinstance(ask, Ask):
        steps.append(ask.candidates)
        inputs = ask.candidates.reshape(-1, *IMAGE)
        tell: Any = SimpleNamespace(inputs=inputs, valid=np.ones(len(inputs), bool), out_original=logits(inputs))
        try:
            ask = running.send(tell)
        except StopIteration:
            break
    assert np.array_equal(steps[0], seed.reshape(1, -1))
    return steps


def unchanging(inputs: np.ndarray) -> np.ndarray:
    return np.zeros((len(inputs), 3), np.float32)


def telling(inputs: np.ndarray) -> np.ndarray:
    return 100 * inputs.reshape(len(inputs), -1)[:, :3]


def test_one_of_the_newest_or_one_of_all_is_mutated_next() -> None:
    rng = np.random.default_rng(0)
    counts = Counter(sampled(20, 5, rng) for _ in range(60_000))
    # Each of the last five: 1/6, and 1/20 of the sixth place; the others only the latter.
    for number in range(20):
        expected = 60_000 * (1 / 120 + (1 / 6 if number >= 15 else 0))
        assert counts[number] == pytest.approx(expected, abs=5 * np.sqrt(expected))
    assert {sampled(1, 5, rng) for _ in range(20)} == {0}
    assert {sampled(3, 5, rng) for _ in range(200)} == {0, 1, 2}


def test_without_new_logits_the_seed_input_alone_is_mutated() -> None:
    seed, *steps = asked(Params(mutations=2000, sigma=0.1, radius=None), unchanging, low=-50, high=50)
    assert [len(step) for step in steps] == [2000] * 5
    inside = np.abs(seed[0]) < 10
    for step in steps:
        noise = (step - seed)[:, inside]
        assert noise.std() == pytest.approx(10, rel=0.05)
        assert abs(noise.mean()) < 0.5


def test_new_logits_lead_away_from_the_seed_input_up_to_the_radius() -> None:
    bound, free = (
        asked(Params(mutations=50, sigma=0.05, radius=radius), telling, generations=40) for radius in (0.1, None)
    )
    for steps in (bound, free):
        assert all(step.min() >= 0 and step.max() <= 1 for step in steps)
    assert max(np.abs(step - bound[0]).max() for step in bound) == pytest.approx(0.1, abs=1e-6)
    assert max(np.abs(step - free[0]).max() for step in free) > 0.3


def test_a_budget_of_evaluations_is_not_exceeded() -> None:
    total = sum(map(len, asked(Params(), unchanging, generations=1, evaluations=1000)))
    assert total == 901
