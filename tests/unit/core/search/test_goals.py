"""Searches end where their goal is reached, and a targeted one is a search of its own for each class."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.engine import Engine, Seed, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.library_engine import LibraryEngine
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.space import Domain
from quantrift.core.search.stopping import Stop, kept_labels, reached
from quantrift.core.search.tool import Tool, build

SHAPE = (3, 3, 4)
CLASSES = 5


@pytest.mark.parametrize(
    ("goal", "target", "wanted"),
    [
        #                     1/1    1/2   2/1   2/3    2/2    invalid
        ("differ", None, [False, True, True, True, False, False]),
        ("one_keeps", None, [False, True, True, False, False, False]),
        ("targeted", 2, [False, True, True, False, False, False]),
        ("targeted", 3, [False] * 6),
        ("targeted", 1, [False] * 6),
    ],
)
def test_goals_of_a_seed_input_that_both_models_call_1(goal: Any, target: int | None, wanted: list[bool]) -> None:
    original, compressed = np.array([1, 1, 2, 2, 2, -1]), np.array([1, 2, 1, 3, 2, -1])
    tell: Any = SimpleNamespace(labels_original=original, labels_compressed=compressed, disagree=original != compressed)
    assert reached(goal, tell, kept_labels(np.array([1]), np.array([1])), target).tolist() == wanted
    disputed = reached(goal, tell, kept_labels(np.array([1]), np.array([2])), target)
    assert disputed.tolist() == (wanted if goal == "differ" else [False] * 6)


def test_each_input_of_a_batch_keeps_its_own_label() -> None:
    original, compressed = np.array([1, 3, 1, 3]), np.array([2, 2, 1, 2])
    tell: Any = SimpleNamespace(labels_original=original, labels_compressed=compressed, disagree=original != compressed)
    kept = kept_labels(np.array([1, 2]), np.array([1, 2]))
    assert reached("one_keeps", tell, kept, None).tolist() == [True, True, False, True]


class Noisy:
    """Two networks of one layer; rows are summed one by one, so that none depends on those beside it."""

    profile = None

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self._weights = rng.normal(size=(np.prod(SHAPE), CLASSES)).astype(np.float32)
        self._other = self._weights + 0.3 * rng.normal(size=self._weights.shape).astype(np.float32)

    def __call__(self, x: np.ndarray) -> Outputs:
        said = [
            np.array([(row.reshape(-1, 1) * own).sum(axis=0) for row in x], np.float32).reshape(-1, CLASSES)
            for own in (self._weights, self._other)
        ]
        return Outputs(said[0], said[1])


class Wanted:
    """An objective that reads the class a search wants."""

    def score(self, outputs: Outputs) -> np.ndarray:
        """The wanted class of each row, (n, 1); -2 where no search wants any."""
        wanted = np.full(len(outputs.original), -2) if outputs.targets is None else outputs.targets
        return wanted[:, None].astype(np.float64)


def tool(name: str = "mine", searcher: str = "random", population: int = 6) -> Tool:
    parts = {"space": "hsi_distortions", "constraint": "psnr", "objective": "jensen_shannon", "searcher": searcher}
    settings: dict[str, Any] = {kind: {"name": part, "params": {}} for kind, part in parts.items()}
    settings["constraint"]["params"] = {"min_db": 3}
    settings["searcher"]["params"] = {"swarm" if searcher == "pso" else "population": population}
    return build(name, settings, Domain(SHAPE, -5, 5))


def problems(of: Tool, targets: list[int | None], generations: int = 5) -> list[Problem]:
    inputs = (1 + np.random.default_rng(1).normal(size=(len(targets), 1, *SHAPE))).astype(np.float32)
    return [
        Problem("d", 0, (number,), x, (0,), of.space, generations, target=target)
        for number, (x, target) in enumerate(zip(inputs, targets, strict=True))
    ]


def steps_of(engine: Engine | LibraryEngine, given: list[Problem]) -> tuple[dict[int, list[Step]], dict[int, Seed]]:
    steps: dict[int, list[Step]] = {}
    seeds = {}
    for event in engine.run(given):
        if isinstance(event, Step):
            steps.setdefault(event.number, []).append(event)
        elif isinstance(event, Seed):
            seeds[event.number] = event
    return steps, seeds


@pytest.mark.parametrize(("kind", "searcher"), [(Engine, "random"), (LibraryEngine, "pso")])
@pytest.mark.parametrize("goal", ["one_keeps", "targeted"])
def test_first_attack_ends_a_search_with_the_generation_that_reaches_its_goal(
    kind: Any, searcher: str, goal: Literal["one_keeps", "targeted"]
) -> None:
    mine, targets = tool(searcher=searcher), [number % CLASSES if goal == "targeted" else None for number in range(15)]
    whole, seeds = steps_of(kind(Evaluator(mine, Noisy()), Stop(goal=goal)), problems(mine, targets))
    ended, _ = steps_of(kind(Evaluator(mine, Noisy()), Stop(goal=goal, first_attack=True)), problems(mine, targets))
    lengths, differ_earlier = set(), 0
    for number, steps in whole.items():
        kept = kept_labels(seeds[number].labels_original, seeds[number].labels_compressed)
        for step in steps:
            expected = reached(goal, step.evaluated.tell, kept, targets[number])
            assert np.array_equal(step.reached, expected)
        found = [bool(step.reached.any()) for step in steps]
        wanted = found.index(True) + 1 if any(found) else len(steps)
        assert len(ended[number]) == wanted
        lengths.add(wanted)
        differ_earlier += any(step.evaluated.tell.disagree.any() for step in steps[: wanted - 1])
    assert len(lengths) > 1
    assert differ_earlier


def test_an_objective_is_told_the_class_that_each_search_wants() -> None:
    mine = replace(tool(), objective=Wanted())
    for targets in ([3, 1, 0], [None] * 3):
        steps, _ = steps_of(Engine(Evaluator(mine, Noisy(), rows=16)), problems(mine, list(targets), generations=2))
        for number, own in steps.items():
            expected = -2 if targets[number] is None else targets[number]
            assert all((step.evaluated.scores[step.evaluated.tell.valid] == expected).all() for step in own)
            assert any(step.evaluated.tell.valid.any() for step in own)


def test_streams_of_searches_without_a_target_are_those_of_earlier_versions() -> None:
    mine = tool()
    plain, wanting = problems(mine, [None])[0], problems(mine, [3])[0]
    np.testing.assert_array_equal(mine.stream(plain).random(2), [0.12941104583859087, 0.8777930270888585])
    np.testing.assert_array_equal(mine.stream(wanting).random(2), [0.5293747255887825, 0.5217092968671642])


def test_a_searcher_does_not_see_whether_the_goal_is_reached() -> None:
    seen: list[set[str]] = []

    class Curious:
        def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
            seen.append(set(vars((yield Ask(problem.space.sample(3, rng))))))

    mine = replace(tool(), searcher=Curious())
    list(Engine(Evaluator(mine, Noisy()), Stop(goal="one_keeps")).run(problems(mine, [None])))
    assert not any("reached" in names for names in seen)
    assert seen
