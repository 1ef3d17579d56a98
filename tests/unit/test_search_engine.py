"""The engine evaluates what searches ask for, and runs models on valid candidates only."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.search.engine import Engine, Event, Finished, Seed, Step
from quantrift.search.messages import Ask, Problem, Result, Search
from quantrift.search.searchers import random_feasible
from quantrift.search.tool import Tool, build

SHAPE = (7, 7, 16)


class Linear:
    """A network of one layer, which counts the inputs it is given."""

    def __init__(self, seed: int) -> None:
        weights = np.random.default_rng(0).normal(size=(np.prod(SHAPE), 5))
        self._weights = (weights + 0.05 * np.random.default_rng(seed).normal(size=weights.shape)).astype(np.float32)
        self.input_shape, self.classes, self.seen = SHAPE, 5, 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.seen += len(x)
        # Row by row: a matrix product would depend on how many rows there are.
        logits = [(row.reshape(-1, 1) * self._weights).sum(axis=0) for row in x]
        return np.array(logits, np.float32).reshape(-1, 5)


def tool(searcher: str, **params: Any) -> Tool:
    parts = {"space": "hsi_distortions", "constraint": "psnr", "objective": "jensen_shannon", "searcher": searcher}
    settings: dict[str, Any] = {kind: {"name": name, "params": {}} for kind, name in parts.items()}
    settings["searcher"]["params"] = params
    return build("mine", settings, SHAPE)


def problems(of: Tool, count: int, generations: int = 4) -> list[Problem]:
    rng = np.random.default_rng(1)
    inputs = [(1 + rng.normal(size=SHAPE)).astype(np.float32) for _ in range(count)]
    return [Problem("d", 0, i, x, 0, of.space, generations) for i, x in enumerate(inputs)]


def test_each_search_reports_its_seed_then_its_generations_then_its_end() -> None:
    mine = tool("random", population=5)
    events: dict[int, list[Event]] = {}
    for event in Engine(mine, Linear(1), Linear(2), batch=12).run(problems(mine, 7)):
        events.setdefault(event.number, []).append(event)
    assert sorted(events) == list(range(7))
    for own in events.values():
        assert [type(event) for event in own] == [Seed, *[Step] * 4, Finished]
        assert [event.generation for event in own if isinstance(event, Step)] == [0, 1, 2, 3]
        assert all(len(event.candidates) == 5 for event in own if isinstance(event, Step))


def test_models_run_on_valid_candidates_and_seed_inputs_alone() -> None:
    mine, first, second = tool("random", population=20), Linear(1), Linear(2)
    steps = [event for event in Engine(mine, first, second).run(problems(mine, 5)) if isinstance(event, Step)]
    valid = sum(int(step.tell.valid.sum()) for step in steps)
    assert 0 < valid < 5 * 4 * 20
    assert first.seen == second.seen == valid + 5
    for step in steps:
        tell = step.tell
        assert np.array_equal(np.isnan(tell.fitness[:, 0]), ~tell.valid)
        assert np.array_equal(np.isnan(tell.out_original).any(axis=1), ~tell.valid)
        assert np.array_equal(tell.labels_original == -1, ~tell.valid)
        assert np.array_equal(tell.valid, step.psnr >= 20)
        assert not tell.disagree[~tell.valid].any()
        labels = tell.out_original[tell.valid].argmax(axis=1), tell.out_compressed[tell.valid].argmax(axis=1)
        assert np.array_equal(tell.disagree[tell.valid], labels[0] != labels[1])


def test_random_feasible_stops_at_exactly_the_wanted_number_of_valid_candidates() -> None:
    mine = tool("random_feasible", population=10)
    counts = np.zeros(6, int)
    for event in Engine(mine, Linear(1), Linear(2)).run(problems(mine, 6)):
        if isinstance(event, Step):
            counts[event.number] += event.tell.valid.sum()
    assert counts.tolist() == [40] * 6


def test_random_feasible_gives_up_where_nothing_is_valid() -> None:
    mine = tool("random_feasible", population=10, max_draws=3)
    [problem] = problems(mine, 1)
    search = random_feasible.search(problem, random_feasible.Params(10, 3), np.random.default_rng(0))
    asked = [len(next(search).candidates)]
    with contextlib.suppress(StopIteration):
        while True:
            nothing: Any = SimpleNamespace(valid=np.zeros(asked[-1], bool))
            asked.append(len(search.send(nothing).candidates))
    assert sum(asked) == 3 * 40


def test_a_search_larger_than_the_memory_still_runs() -> None:
    mine = tool("random", population=30)
    engine = Engine(mine, Linear(1), Linear(2), memory_mb=0.001)
    assert sum(isinstance(event, Finished) for event in engine.run(problems(mine, 3))) == 3


def test_the_number_of_candidates_may_change_from_step_to_step() -> None:
    class Growing:
        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
            for n in (1, 4, 2):
                tell = yield Ask(problem.space.sample(n, rng))
                assert len(tell.valid) == len(tell.inputs) == n
            return Result(memberships=9, dii_memberships=2)

    mine = replace(tool("random"), searcher=Growing())
    events = list(Engine(mine, Linear(1), Linear(2), batch=3).run(problems(mine, 3)))
    assert [event.result.memberships for event in events if isinstance(event, Finished)] == [9, 9, 9]
    assert sorted(len(e.candidates) for e in events if isinstance(e, Step)) == [1, 1, 1, 2, 2, 2, 4, 4, 4]


def test_a_searcher_that_asks_for_nothing_is_an_error() -> None:
    class Silent:
        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Iterator[Any]:
            return
            yield

    mine = replace(tool("random"), searcher=Silent())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="without asking for a single candidate"):
        list(Engine(mine, Linear(1), Linear(2)).run(problems(mine, 1)))
