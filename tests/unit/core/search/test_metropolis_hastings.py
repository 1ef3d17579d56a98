"""TriggerFinder's search: which mutants are kept, in the paper's form and the code's, and its ablations."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.pair import Outputs, Pair
from quantrift.core.search import engine
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.image_operators import OPERATORS
from quantrift.core.search.messages import Problem
from quantrift.core.search.objectives import top1_distance
from quantrift.core.search.searchers.metropolis_hastings import Chain, Params, search
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels
from quantrift.core.search.stopping import Stop
from quantrift.core.search.tool import Tool, build

SHAPE = (8, 8, 1)
DOMAIN = Domain(SHAPE, 0.0, 1.0)
GRID = np.divide(np.arange(256, dtype=np.uint8), 255, dtype=np.float32)


class Network:
    """Logits of three classes; the second network's weights are slightly off."""

    def __init__(self, off: float) -> None:
        rng = np.random.default_rng(0)
        weights = rng.normal(size=(64, 3))
        self._weights = (weights + off * rng.normal(size=weights.shape)).astype(np.float32)
        self.input_shape, self.classes = SHAPE, 3

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.array([(row.reshape(-1, 1) * self._weights).sum(axis=0) for row in x], np.float32).reshape(-1, 3)


def tool(**params: Any) -> Tool:
    parts = {
        "space": "pixels", "constraint": "none", "objective": "top1_distance", "searcher": "metropolis_hastings"
    }  # fmt: skip
    settings: dict[str, Any] = {kind: {"name": name, "params": {}} for kind, name in parts.items()}
    settings["searcher"]["params"] = params
    return build("mine", settings, DOMAIN)


def problems(of: Tool, count: int, evaluations: int) -> list[Problem]:
    images = GRID[np.random.default_rng(1).integers(256, size=(count, 1, *SHAPE))]
    return [Problem("d", 0, (i,), x, (0,), of.space, 25, evaluations) for i, x in enumerate(images)]


def run(of: Tool, given: list[Problem], rows: int = 256, off: float = 0.05) -> dict[int, list[Step]]:
    found: dict[int, list[Step]] = {}
    runner = Engine(Evaluator(of, Pair(Network(0), Network(off)), rows=rows), Stop(first_attack=True))
    for event in runner.run(given):
        if isinstance(event, Step):
            found.setdefault(event.number, []).append(event)
    return found


def candidates(steps: list[Step]) -> np.ndarray:
    assert all(len(step.candidates) == 1 for step in steps)
    return np.concatenate([step.candidates for step in steps])


def said(distance: float, state: int = 0) -> np.ndarray:
    """Fitness of an input whose models are ``distance`` apart, in one of some states that are far apart."""
    probabilities = np.zeros(6)
    probabilities[state] = probabilities[3 + state] = 1
    return np.array([[distance, *probabilities]])


class Told:
    """A chain that starts at D = 0.2 in state 0 and is told what its mutants are."""

    def __init__(self, **params: Any) -> None:
        space = pixels.bind(pixels.Params(), DOMAIN)
        high, low = np.log([[0.8, 0.1, 0.1]]), np.log([[0.6, 0.2, 0.2]])
        seen = Outputs(high.astype(np.float32), low.astype(np.float32))
        self.seed = GRID[np.random.default_rng(2).integers(256, size=(1, *SHAPE))]
        problem = Problem("d", 0, (0,), self.seed, (0,), space, 25, seen=seen)
        self.chain = Chain(problem, Params(**params), np.random.default_rng(0))

    def keeps(self, distance: float, state: int = 0, valid: bool = True) -> bool:
        """Whether the next mutant is kept."""
        self.chain.ask()
        before: Any = self.chain._best
        self.chain.judge(SimpleNamespace(valid=np.array([valid]), fitness=said(distance, state)))  # type: ignore[arg-type]
        return self.chain._best is not before

    @property
    def gains(self) -> int:
        return sum(self.chain._ranking.gained)


def test_the_objective_tells_the_distance_and_both_probability_vectors() -> None:
    original = np.log(np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4]])).astype(np.float32)
    compressed = np.log(np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])).astype(np.float32)
    score = top1_distance.Params().score(Outputs(original + 3, compressed))
    expected = [[0.1, 0.7, 0.2, 0.1, 0.6, 0.3, 0.1], [0.1, 0.1, 0.5, 0.4, 0.1, 0.3, 0.6]]
    np.testing.assert_allclose(score, expected, atol=1e-6)
    assert score.dtype == np.float64


def test_the_paper_keeps_what_has_at_least_the_fitness_of_the_best() -> None:
    told = Told()
    # H of the seed is 200 + 1: a mutant in a known state needs 0.001 more.
    assert not told.keeps(0.2005)
    assert told.keeps(0.2015)
    assert told.gains == 1
    # Equal fitness is kept without a gain; the best is in a known state now.
    assert told.keeps(0.2015)
    assert told.gains == 1
    assert not told.keeps(0.2014)
    # A new state outweighs up to 0.001, and is known from then on.
    assert told.keeps(0.2010, state=1)
    assert told.gains == 2
    assert not told.keeps(0.2010, state=1)
    assert sum(told.chain._ranking.applied) == 6


def test_the_code_keeps_what_differs_by_more_than_delta_or_is_in_a_new_state() -> None:
    told = Told(variant="code")
    # It starts with 0, not with the seed's 0.2.
    assert not told.keeps(0.0009)
    assert told.keeps(0.3)
    assert told.keeps(0.1)
    assert not told.keeps(0.1005)
    assert told.keeps(0.1, state=1)
    assert told.gains == 3
    # A state counts as seen although D decided.
    assert told.keeps(0.5, state=2)
    assert not told.keeps(0.5, state=2)


def test_without_states_the_paper_follows_the_distance_and_the_code_never_leaves_the_seed() -> None:
    told = Told(states=False)
    assert not told.keeps(0.19, state=1)
    assert told.keeps(0.2001)
    told = Told(states=False, variant="code")
    assert not any(told.keeps(distance, state) for distance in (0.3, 0.999, 1.0) for state in range(3))


def test_invalid_mutants_are_never_kept_nor_their_states_seen() -> None:
    for variant in ("paper", "code"):
        told = Told(variant=variant)
        assert not told.keeps(0.9, state=1, valid=False)
        assert told.keeps(0.2005, state=1)


def test_the_next_operator_follows_the_last_one_whether_it_gained_or_not() -> None:
    told = Told()
    assert told.chain._last is None
    for distance in (0.0, 0.5, 0.5):
        told.chain.ask()
        operator = told.chain._drawn[0].operator
        told.chain.judge(SimpleNamespace(valid=np.array([True]), fitness=said(distance)))  # type: ignore[arg-type]
        assert told.chain._last == operator


class Counted:
    """Both networks; counts their runs."""

    profile = None

    def __init__(self, off: float) -> None:
        self._pair, self.runs = Pair(Network(0), Network(off)), 0

    def __call__(self, x: np.ndarray) -> Outputs:
        self.runs += 1
        return self._pair(x)


@pytest.mark.parametrize("variant", ["paper", "code"])
@pytest.mark.parametrize("states", [True, False])
def test_mutants_drawn_in_advance_on_a_plateau_change_nothing(
    monkeypatch: pytest.MonkeyPatch, variant: str, states: bool
) -> None:
    """Networks that hardly differ are a plateau: few mutants are kept, now and then one is."""
    mine = tool(variant=variant, states=states)
    found, runs = {}, {}
    for room in (0, 64):
        monkeypatch.setattr(engine, "AHEAD", room)
        networks = Counted(1e-3)
        ran: dict[int, list[Step]] = {}
        for event in Engine(Evaluator(mine, networks), Stop(first_attack=True)).run(problems(mine, 3, 300)):
            if isinstance(event, Step):
                assert event.generation == len(ran.setdefault(event.number, []))
                ran[event.number].append(event)
        found[room] = {number: candidates(steps) for number, steps in ran.items()}
        fitness = [step.evaluated.tell.fitness for steps in ran.values() for step in steps]
        assert all(len(one) == 1 for one in fitness)
        runs[room] = networks.runs, np.concatenate(fitness)
    assert all(np.array_equal(found[0][number], found[64][number]) for number in range(3))
    assert np.array_equal(runs[0][1], runs[64][1])
    assert runs[64][0] < runs[0][0]


def test_mutants_are_of_the_best_input_by_one_operator() -> None:
    mine = tool(variant="code")
    for steps in run(mine, problems(mine, 3, 40), off=0.001).values():
        levels = np.rint(candidates(steps) * 255).astype(int)
        assert np.abs(levels / 255 - candidates(steps)).max() < 1e-6
        assert levels.min() >= 0
        assert levels.max() <= 255


def test_a_higher_cap_continues_a_search_exactly() -> None:
    for variant in ("paper", "code"):
        mine = tool(variant=variant)
        short, long = (run(mine, problems(mine, 5, cap), off=1e-4) for cap in (50, 200))
        for number, steps in short.items():
            assert len(steps) == 50
            assert len(long[number]) == 200
            assert np.array_equal(candidates(steps), candidates(long[number])[:50])


@pytest.mark.parametrize("variant", ["paper", "code"])
def test_what_is_searched_beside_it_changes_nothing(variant: str) -> None:
    mine = tool(variant=variant)
    given = problems(mine, 12, 150)
    together, few = run(mine, given), run(mine, given, rows=5)
    assert len({len(steps) for steps in together.values()}) >= 3
    for number, problem in enumerate(given):
        [alone] = run(mine, [problem]).values()
        for other in (together[number], few[number]):
            assert np.array_equal(candidates(alone), candidates(other))
            assert alone[-1].reached.tolist() == other[-1].reached.tolist()


def test_uniform_choice_draws_every_operator_as_often() -> None:
    told = Told(choice="uniform", variant="code")
    for step in range(1400):
        told.keeps(0.1 * (step % 2))
    applied = np.array(told.chain._ranking.applied)
    assert len(applied) == len(OPERATORS)
    assert np.abs(applied - 200).max() < 60


def test_it_refuses_what_it_cannot_search() -> None:
    mine = tool()
    [problem] = problems(mine, 1, 5)
    rng = np.random.default_rng(0)
    any_value = pixels.bind(pixels.Params(None), DOMAIN)
    seen = Outputs(np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(QuantriftError, match="levels: 256"):
        next(search(replace(problem, space=any_value, seen=seen), Params(), rng))
    with pytest.raises(QuantriftError, match="no batches"):
        next(search(replace(problem, inputs=np.zeros((2, *SHAPE), np.float32)), Params(), rng))
    told, other_objective = Told(), SimpleNamespace(valid=np.array([True]), fitness=np.zeros((1, 2)))
    told.chain.ask()
    with pytest.raises(QuantriftError, match="take top1_distance"):
        told.chain.judge(other_objective)  # type: ignore[arg-type]
