"""The lockstep particle swarm is pyswarm's, bit for bit, on the same draws."""

import contextlib
import io
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pyswarm import pso as pyswarm

from quantrift.search.messages import Ask
from quantrift.search.searchers import pso


@dataclass
class Case:
    """A bounded problem with an optional constraint, drawn from its number."""

    number: int

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.number)
        self.genes, self.swarm, self.moves = (int(rng.integers(*ends)) for ends in ((2, 60), (2, 14), (1, 25)))
        self.lower = (-3 * rng.random(self.genes)).astype(np.float32)
        self.upper = (self.lower + 0.1 + 4 * rng.random(self.genes)).astype(np.float32)
        self.centre = rng.random(self.genes)
        start = rng.random((self.swarm, self.genes))
        self.start = (self.lower + start * (self.upper - self.lower)).astype(np.float32)
        # Every particle feasible, about half, few, none.
        self.threshold = (-np.inf, 0.0, 0.3, np.inf)[self.number % 4]
        self.minfunc = 1e-2 if self.number % 5 == 0 else None
        self.minstep = 0.05 if self.number % 7 == 0 else None

    def cost(self, x: np.ndarray) -> float:
        value = float(np.sum((x - self.centre) ** 2) * np.sin(3 * x[0]))
        return round(value) if self.number % 3 == 0 else value  # ties

    def slack(self, x: np.ndarray) -> float:
        return float(x[0] + x[1] - self.threshold) if np.isfinite(self.threshold) else -self.threshold

    def by_pyswarm(self) -> np.ndarray:
        seen: list[np.ndarray] = []

        def feasible(x: np.ndarray) -> np.ndarray:
            seen.append(x.copy())
            return np.array([self.slack(x)])

        limits = {"minfunc": self.minfunc, "minstep": self.minstep}
        with contextlib.redirect_stdout(io.StringIO()):
            found = pyswarm(
                self.cost, self.lower, self.upper, f_ieqcons=feasible, swarmsize=self.swarm, maxiter=self.moves,
                seed=self.number, init=self.start, **{k: -1.0 if v is None else v for k, v in limits.items()},
            )  # fmt: skip
        # The library judges its result once more at the end, if it has one.
        return np.array(seen[:-1] if np.isfinite(found.fun) else seen)

    def in_lockstep(self) -> np.ndarray:
        space = SimpleNamespace(lower=self.lower, upper=self.upper, sample=lambda n, rng: self.start)
        problem: Any = SimpleNamespace(space=space, generations=self.moves + 1)
        params = pso.Params(swarm=self.swarm, minfunc=self.minfunc, minstep=self.minstep)
        search = pso.search(problem, params, np.random.default_rng(self.number))
        asked: list[np.ndarray] = []
        ask: Ask | None = next(search)
        while ask is not None:
            asked.extend(ask.candidates.copy())
            valid = np.array([self.slack(x) >= 0 for x in ask.candidates])
            fitness = [[-self.cost(x)] if ok else [np.nan] for x, ok in zip(ask.candidates, valid, strict=True)]
            tell: Any = SimpleNamespace(valid=valid, fitness=np.array(fitness))
            try:
                ask = search.send(tell)
            except StopIteration:
                ask = None
        return np.array(asked)


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_equal_draws_give_equal_swarms(first: int) -> None:
    for number in range(first, first + 40):
        case = Case(number)
        np.testing.assert_array_equal(case.in_lockstep(), case.by_pyswarm(), err_msg=f"case {number}")
