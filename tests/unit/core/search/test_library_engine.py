"""A tool run by its library gives the steps that it gives in lockstep."""

from typing import Any

import numpy as np
import pytest

from quantrift.core.pairs.pair import Pair
from quantrift.core.search.engine import Engine, Event, Finished, Seed, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.library_engine import LibraryEngine
from quantrift.core.search.messages import Problem
from quantrift.core.search.space import Domain
from quantrift.core.search.stopping import Stop
from quantrift.core.search.tool import Tool, build

SHAPE = (7, 7, 12)
SEARCHERS = [
    pytest.param({"name": "pso", "params": {"swarm": 6}}, id="pyswarm"),
    pytest.param({"name": "ga", "params": {"population": 8, "initial": "uniform"}}, id="geneticalgorithm"),
]


class Linear:
    """A network of one layer."""

    input_shape, classes = SHAPE, 4

    def __init__(self, seed: int) -> None:
        shared, own = (np.random.default_rng(number).normal(size=(np.prod(SHAPE), 4)) for number in (0, seed))
        self._weights = (shared + 0.1 * own).astype(np.float32)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.array([(row.reshape(-1, 1) * self._weights).sum(axis=0) for row in x], np.float32).reshape(-1, 4)


def tool(searcher: dict[str, Any]) -> Tool:
    settings: dict[str, Any] = {
        "space": {"name": "hsi_distortions", "params": {"strengths": {"stripping": 0.2, "zoom": 0.1}}},
        "constraint": {"name": "psnr", "params": {"min_db": 8}},
        "objective": {"name": "jensen_shannon", "params": {}},
        "searcher": searcher,
    }
    return build("mine", settings, Domain(SHAPE, -5, 5))


def problems(of: Tool) -> list[Problem]:
    inputs = (1 + np.random.default_rng(1).normal(size=(4, 1, *SHAPE))).astype(np.float32)
    return [Problem("d", 3, (i,), x, (0,), of.space, generations=7) for i, x in enumerate(inputs)]


def by_search(events: Any) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {}
    for event in events:
        found.setdefault(event.number, []).append(event)
    return found


@pytest.mark.parametrize("stop", [Stop(), Stop(first_attack=True), Stop(patience=2)], ids=str)
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_steps_are_those_of_the_lockstep_engine(searcher: dict[str, Any], stop: Stop) -> None:
    mine = tool(searcher)
    evaluator = Evaluator(mine, Pair(Linear(1), Linear(2)))
    lockstep = by_search(Engine(evaluator, stop).run(problems(mine)))
    library = by_search(LibraryEngine(evaluator, stop).run(problems(mine)))
    valid = 0
    for number, expected in lockstep.items():
        found = library[number]
        assert [type(event) for event in found] == [type(event) for event in expected]
        assert isinstance(found[0], Seed)
        assert isinstance(found[-1], Finished)
        for one, other in zip(expected, found, strict=True):
            if isinstance(one, Step) and isinstance(other, Step):
                assert one.generation == other.generation
                np.testing.assert_array_equal(one.candidates, other.candidates)
                np.testing.assert_array_equal(one.evaluated.digests, other.evaluated.digests)
                np.testing.assert_array_equal(one.evaluated.active, other.evaluated.active)
                np.testing.assert_array_equal(one.evaluated.scores, other.evaluated.scores)
                np.testing.assert_array_equal(one.evaluated.tell.disagree, other.evaluated.tell.disagree)
                valid += int(one.evaluated.tell.valid.sum())
    assert valid > 10
