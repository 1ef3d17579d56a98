"""The engine evaluates what searches ask for, and runs models on valid candidates only."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.pairs.pair import Pair
from quantrift.core.search import engine as of_engine
from quantrift.core.search import evaluator as of_evaluator
from quantrift.core.search.engine import Engine, Event, Finished, Seed, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.searchers import random_feasible
from quantrift.core.search.space import Domain
from quantrift.core.search.stopping import Stop
from quantrift.core.search.tool import Tool, build

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


def tool(searcher: str, constraint: str = "psnr", guides: bool = True, **params: Any) -> Tool:
    parts = {"space": "hsi_distortions", "constraint": constraint, "objective": "jensen_shannon", "searcher": searcher}
    settings: dict[str, Any] = {kind: {"name": name, "params": {}} for kind, name in parts.items()}
    settings["searcher"]["params"] = params
    settings["constraint"]["params"] = {} if guides else {"guides": False}
    return build("mine", settings, Domain(SHAPE, -5, 5))


def engine(of: Tool, rows: int = 256, **settings: Any) -> Engine:
    return Engine(Evaluator(of, Pair(Linear(1), Linear(2)), rows=rows), **settings)


def problems(of: Tool, count: int, generations: int = 4, batch: int = 1) -> list[Problem]:
    rng = np.random.default_rng(1)
    inputs = (1 + rng.normal(size=(count, batch, *SHAPE))).astype(np.float32)
    return [
        Problem("d", 0, tuple(range(i * batch, (i + 1) * batch)), x, (0,) * batch, of.space, generations)
        for i, x in enumerate(inputs)
    ]


def test_each_search_reports_its_seed_then_its_generations_then_its_end() -> None:
    mine = tool("random", population=5)
    events: dict[int, list[Event]] = {}
    for event in engine(mine, rows=12).run(problems(mine, 7)):
        events.setdefault(event.number, []).append(event)
    assert sorted(events) == list(range(7))
    for own in events.values():
        assert [type(event) for event in own] == [Seed, *[Step] * 4, Finished]
        assert [event.generation for event in own if isinstance(event, Step)] == [0, 1, 2, 3]
        assert all(len(event.candidates) == 5 for event in own if isinstance(event, Step))


def test_models_run_on_valid_candidates_and_seed_inputs_alone() -> None:
    mine, first, second = tool("random", population=20), Linear(1), Linear(2)
    searching = Engine(Evaluator(mine, Pair(first, second)))
    steps = [event.evaluated for event in searching.run(problems(mine, 5)) if isinstance(event, Step)]
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


def test_a_constraint_that_does_not_guide_decides_afterwards_what_counts() -> None:
    """DiverGet's Algorithm 1 as it is listed: all candidates have a fitness, and valid ones alone count."""
    guided, listed = (tool("random", guides=guides, population=20) for guides in (True, False))
    both = [
        [step for step in engine(mine).run(problems(mine, 5)) if isinstance(step, Step)] for mine in (guided, listed)
    ]
    for one, other in zip(*both, strict=True):
        first, second = one.evaluated, other.evaluated
        # Random sampling is not guided either way, so the same candidates are valid and found.
        assert np.array_equal(one.candidates, other.candidates)
        assert np.array_equal(first.valid, second.valid)
        assert np.array_equal(first.tell.disagree, second.tell.disagree)
        assert np.array_equal(first.tell.labels_original, second.tell.labels_original)
        assert np.array_equal(first.tell.fitness[first.valid], second.tell.fitness[second.valid])
        assert second.tell.valid.all()
        assert not np.isnan(second.tell.fitness).any()
        assert not second.tell.violation.any()
    assert not all(step.evaluated.valid.all() for step in both[1])


def test_a_swarm_as_listed_follows_candidates_that_are_not_valid() -> None:
    mine = tool("pso", guides=False)
    steps = [step.evaluated for step in engine(mine).run(problems(mine, 8, 20)) if isinstance(step, Step)]
    fitness = [step.tell.fitness[~step.valid, 0].max(initial=0) for step in steps]
    # What is far from the seed input changes outputs most, so nothing leads the swarm back to valid candidates.
    assert np.mean([step.valid.mean() for step in steps[-8:]]) < np.mean([step.valid.mean() for step in steps[:8]])
    assert np.mean(fitness[-8:]) > np.mean(fitness[:8])


def test_random_feasible_stops_at_exactly_the_wanted_number_of_valid_candidates() -> None:
    mine = tool("random_feasible", population=10)
    counts = np.zeros(6, int)
    for event in engine(mine).run(problems(mine, 6)):
        if isinstance(event, Step):
            counts[event.number] += event.evaluated.tell.valid.sum()
    assert counts.tolist() == [40] * 6


def test_random_feasible_gives_up_where_nothing_is_valid() -> None:
    mine = tool("random_feasible", population=10, max_draws=3)
    [problem] = problems(mine, 1)
    search = random_feasible.search(problem, random_feasible.Params(10, max_draws=3), np.random.default_rng(0))
    asked = [len(next(search).candidates)]
    with contextlib.suppress(StopIteration):
        while True:
            nothing: Any = SimpleNamespace(valid=np.zeros(asked[-1], bool))
            asked.append(len(search.send(nothing).candidates))
    assert sum(asked) == 3 * 40


def test_a_search_larger_than_the_memory_still_runs() -> None:
    mine = tool("random", population=30)
    events = engine(mine, memory_mb=0.001).run(problems(mine, 3))
    assert sum(isinstance(event, Finished) for event in events) == 3


def test_the_number_of_candidates_may_change_from_step_to_step() -> None:
    class Growing:
        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
            for n in (1, 4, 2):
                tell = yield Ask(problem.space.sample(n, rng))
                assert len(tell.valid) == len(tell.inputs) == n

    mine = replace(tool("random"), searcher=Growing())
    events = list(engine(mine, rows=3).run(problems(mine, 3)))
    assert sorted(len(e.candidates) for e in events if isinstance(e, Step)) == [1, 1, 1, 2, 2, 2, 4, 4, 4]


def test_a_searcher_that_asks_for_nothing_is_an_error() -> None:
    class Silent:
        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Iterator[Any]:
            return
            yield

    mine = replace(tool("random"), searcher=Silent())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="without asking for a single candidate"):
        list(engine(mine).run(problems(mine, 1)))


def steps_of(searching: Engine, given: list[Problem]) -> dict[int, list[Step]]:
    found: dict[int, list[Step]] = {}
    for event in searching.run(given):
        if isinstance(event, Step):
            found.setdefault(event.number, []).append(event)
    return found


def test_first_attack_ends_a_search_with_the_generation_of_its_first_disagreement() -> None:
    mine = tool("random", population=20)
    whole = steps_of(engine(mine), problems(mine, 12, generations=6))
    ended = steps_of(engine(mine, stop=Stop(first_attack=True)), problems(mine, 12, generations=6))
    lengths = set()
    for number, steps in whole.items():
        found = [bool(step.evaluated.tell.disagree.any()) for step in steps]
        wanted = found.index(True) + 1 if any(found) else len(steps)
        assert len(ended[number]) == wanted
        lengths.add(wanted)
        for one, other in zip(steps, ended[number], strict=False):
            assert np.array_equal(one.candidates, other.candidates)
    assert len(lengths) > 1


def test_patience_ends_a_search_when_neither_fitness_nor_disagreements_change() -> None:
    mine = tool("random", population=3)
    whole = steps_of(engine(mine), problems(mine, 12, generations=40))
    ended = steps_of(engine(mine, stop=Stop(patience=3)), problems(mine, 12, generations=40))
    assert min(map(len, ended.values())) < 40
    for number, steps in ended.items():
        best, last_change = -np.inf, -1
        for generation, step in enumerate(whole[number]):
            tell = step.evaluated.tell
            fitness = np.max(tell.fitness[tell.valid], initial=-np.inf)
            if fitness > best or tell.disagree.any():
                best, last_change = max(best, fitness), generation
            if generation - last_change == 3:
                break
        assert len(steps) == generation + 1


def test_a_batch_is_judged_by_its_mean_fitness_and_its_median_psnr() -> None:
    mine = tool("random", population=200)
    [given] = problems(mine, 1, generations=1, batch=5)
    given = replace(given, inputs=given.inputs + 2 * np.arange(5, dtype=np.float32).reshape(5, 1, 1, 1, 1)[:, 0])
    [[step]] = steps_of(engine(mine), [given]).values()
    done = step.evaluated
    psnr = done.psnr.reshape(200, 5)
    assert np.array_equal(done.tell.valid, np.median(psnr, axis=1) >= 20)
    assert 0 < done.tell.valid.sum() < 200
    assert (psnr[done.tell.valid] < 20).any()
    np.testing.assert_array_equal(done.tell.fitness, done.scores.reshape(200, 5, 1).mean(axis=1))
    for member in range(5):
        alone = replace(given, indices=(member,), inputs=given.inputs[member : member + 1], true_labels=(0,))
        [single] = engine(mine).evaluator([(alone, step.candidates)])
        assert np.array_equal(single.digests, done.digests[member::5])
        assert np.array_equal(single.psnr, done.psnr[member::5])
        both = single.tell.valid & done.tell.valid
        assert np.array_equal(single.scores[both], done.scores[member::5][both])


def test_asks_larger_than_the_rows_evaluated_together_give_the_same() -> None:
    mine = tool("random", population=50)
    whole, cut = (steps_of(engine(mine, rows=rows), problems(mine, 2, batch=3)) for rows in (1000, 16))
    for number, steps in whole.items():
        for one, other in zip(steps, cut[number], strict=True):
            for name, values in vars(one.evaluated.tell).items():
                np.testing.assert_array_equal(values, getattr(other.evaluated.tell, name), err_msg=name)


def test_a_search_knows_what_both_models_say_of_its_seed_inputs() -> None:
    mine, first, second = tool("random", population=3), Linear(1), Linear(2)
    known: dict[tuple[int, ...], Any] = {}

    class Curious:
        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
            known[problem.indices] = problem.seen
            yield Ask(problem.space.sample(3, rng))

    curious = replace(mine, searcher=Curious())
    given = problems(mine, 5, batch=2)
    # Seed inputs are run four at once here, and each once.
    events = Engine(Evaluator(curious, Pair(first, second), rows=5)).run(given)
    ran = sum(int(event.evaluated.tell.valid.sum()) * 2 for event in events if isinstance(event, Step))
    assert first.seen == second.seen == ran + 10
    for problem in given:
        seen = known[problem.indices]
        assert np.array_equal(seen.original, first(problem.inputs))
        assert np.array_equal(seen.compressed, second(problem.inputs))
    assert all(problem.seen is None for problem in given)


@pytest.mark.parametrize("searcher", ["random", "random_feasible", "pso", "ga"])
@pytest.mark.parametrize("stop", [Stop(), Stop(first_attack=True)])
@pytest.mark.slow
def test_isolated_searches_take_the_steps_of_those_side_by_side(searcher: str, stop: Stop) -> None:
    mine = tool(searcher)
    together, alone = (
        steps_of(engine(mine, rows=rows, stop=stop, isolated=isolated), problems(mine, 9, 25))
        for rows, isolated in ((7, False), (10_000, True))
    )
    assert sorted(together) == sorted(alone) == list(range(9))
    assert {bool(step.reached.any()) for steps in alone.values() for step in steps} == {False, True}
    for number, steps in together.items():
        for one, other in zip(steps, alone[number], strict=True):
            np.testing.assert_array_equal(one.candidates, other.candidates)
            np.testing.assert_array_equal(one.survivors, other.survivors)
            for name in ("scores", "active", "psnr", "digests"):
                np.testing.assert_array_equal(getattr(one.evaluated, name), getattr(other.evaluated, name), name)
            for name, values in vars(one.evaluated.tell).items():
                np.testing.assert_array_equal(values, getattr(other.evaluated.tell, name), name)


def test_an_isolated_search_ends_before_the_next_one_begins() -> None:
    mine = tool("random", population=5)
    events = list(engine(mine, isolated=True).run(problems(mine, 4)))
    assert [event.number for event in events] == [number for number in range(4) for _ in range(6)]
    assert [type(event) for event in events] == [Seed, *[Step] * 4, Finished] * 4


def test_what_a_library_loads_with_its_first_use_is_in_the_seconds_of_no_isolated_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)

    class Loading:
        loaded = False

        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
            for number in range(40):
                # After 150 candidates, and after the search found something.
                if number == 30 and not self.loaded:
                    clock.now += 100
                    self.loaded = True
                clock.now += 1
                yield Ask(problem.space.sample(5, rng))

    mine = replace(tool("random", constraint="none"), searcher=Loading())
    events = list(engine(mine, isolated=True).run(problems(mine, 3)))
    seconds = [float(event.seconds.sum()) for event in events if isinstance(event, Step)]
    assert seconds == pytest.approx([1] * 3 * 40)


class Clock:
    """Seconds that pass where something says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        for module in (of_engine, of_evaluator):
            monkeypatch.setattr(module, "process_time", lambda: self.now)


@dataclass(eq=False)
class Slow(Evaluator):
    """An evaluator that needs three seconds beside those of its networks, however many inputs there are."""

    clock: Any = None

    def __call__(self, asked: Any) -> Any:
        self.clock.now += 3
        return super().__call__(asked)


@pytest.mark.parametrize(("isolated", "charged"), [(True, 2 + 20 + 3), (False, 2 + 20)])
def test_all_that_is_computed_for_an_isolated_search_is_among_its_seconds(
    monkeypatch: pytest.MonkeyPatch, isolated: bool, charged: float
) -> None:
    clock = Clock(monkeypatch)

    class Thinking:
        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
            for _ in range(3):
                clock.now += 2
                yield Ask(problem.space.sample(50, rng))

    class Timed(Linear):
        def __call__(self, x: np.ndarray) -> np.ndarray:
            clock.now += 10
            return super().__call__(x)

    mine = replace(tool("random", constraint="none"), searcher=Thinking())
    slow = Slow(mine, Pair(Timed(1), Timed(2)), rows=50, clock=clock)
    steps = [event for event in Engine(slow, isolated=isolated).run(problems(mine, 2)) if isinstance(event, Step)]
    assert len(steps) == 6
    assert [float(event.seconds.sum()) for event in steps] == pytest.approx([charged] * 6)
