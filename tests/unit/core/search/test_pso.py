"""The lockstep particle swarm is pyswarm's, bit for bit, on the same draws."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.search.libraries import pyswarm
from quantrift.core.search.messages import Problem, Verdict
from quantrift.core.search.searchers import pso


@dataclass
class Case:
    """A bounded problem with a constraint, drawn from its number."""

    number: int

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.number)
        genes, swarm, generations = (int(rng.integers(*ends)) for ends in ((2, 60), (2, 14), (2, 26)))
        lower = (-3 * rng.random(genes)).astype(np.float32)
        upper = (lower + 0.1 + 4 * rng.random(genes)).astype(np.float32)
        upper[3::4] = lower[3::4]  # fixed
        self.space: Any = SimpleNamespace(shape=(genes,), lower=lower, upper=upper, integer=np.zeros(genes, bool))
        self.space.sample = lambda n, rng: (lower + rng.random((n, genes)) * (upper - lower)).astype(np.float32)
        self.centre = rng.random(genes)
        # Every particle feasible, about half, few, none.
        self.threshold = (-np.inf, 0.0, 0.3, np.inf)[self.number % 4]
        self.params = pso.Params(
            swarm=swarm,
            omega=1.2 if self.number % 11 == 0 else None,  # swarms that revisit the corners of their bounds
            minfunc=1e-2 if self.number % 5 == 0 else None,
            minstep=0.05 if self.number % 7 == 0 else None,
        )
        inputs = np.zeros((1, 1, 1, 1), np.float32)
        self.problem = Problem("some", 0, (0,), inputs, (0,), self.space, generations)

    def judge(self, candidate: np.ndarray) -> Verdict:
        violation = max(0.0, self.threshold - float(candidate[0] + candidate[1]))
        if violation:
            return Verdict(np.nan, False, violation)
        value = float(np.sum((candidate - self.centre) ** 2) * np.sin(3 * candidate[0]))
        return Verdict(-round(value) if self.number % 3 == 0 else -value, True, 0.0)  # some with ties

    def by_pyswarm(self) -> np.ndarray:
        seen: list[np.ndarray] = []

        def evaluate(candidate: np.ndarray) -> Verdict:
            seen.append(candidate.copy())
            return self.judge(candidate)

        pyswarm.run(self.problem, self.params, np.random.default_rng(self.number), evaluate)
        return np.array(seen)

    def in_lockstep(self, params: pso.Params | None = None) -> list[np.ndarray]:
        """The candidates of each generation."""
        search = pso.search(self.problem, params or self.params, np.random.default_rng(self.number))
        asked = [next(search).candidates]
        while True:
            verdicts = [self.judge(candidate) for candidate in asked[-1]]
            valid = np.array([verdict.valid for verdict in verdicts])
            tell: Any = SimpleNamespace(valid=valid, fitness=np.array([[verdict.fitness] for verdict in verdicts]))
            try:
                asked.append(search.send(tell).candidates)
            except StopIteration:
                return asked


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_equal_draws_give_equal_swarms(first: int) -> None:
    for number in range(first, first + 40):
        case = Case(number)
        lockstep = np.concatenate(case.in_lockstep())
        np.testing.assert_array_equal(lockstep, case.by_pyswarm(), err_msg=f"case {number}")


def test_the_cases_stop_by_either_rule_and_by_the_budget() -> None:
    ends = set()
    for number in range(240):
        case = Case(number)
        spent = len(case.in_lockstep()) == case.problem.generations
        ends.add((case.number % 5 == 0, case.number % 7 == 0, spent))
    assert {(True, False, False), (False, True, False), (False, False, True)} <= ends
    assert (False, False, False) not in ends


def test_a_limit_on_evaluations_stands_in_place_of_generations() -> None:
    case = Case(1)
    case.problem = replace(case.problem, evaluations=5 * case.params.swarm + 1)
    assert len(case.in_lockstep()) == 5
    assert len(case.by_pyswarm()) == 5 * case.params.swarm


def by_bests(case: Case, **settings: Any) -> pso.Params:
    """A swarm without inertia and stop, which moves by its bests alone."""
    return replace(case.params, **{"minfunc": 0, "minstep": 0, "omega": 0, **settings})


def test_with_zero_particles_never_feasible_are_drawn_to_the_zero_vector() -> None:
    case = Case(3)  # nothing is feasible
    free = case.space.lower < case.space.upper
    # With no inertia and no leader to follow, a particle moves straight towards its personal best.
    start, moved, *_ = case.in_lockstep(by_bests(case, infeasible="zero", phig=0, phip=0.5))
    assert case.problem.generations > 1
    lower, upper = case.space.lower[free], case.space.upper[free]
    assert np.any(moved[:, free] != start[:, free])
    # Half of the way at most, and never further from zero than bounds allow.
    nearest = np.clip(0, lower, upper)
    assert np.all(np.abs(moved[:, free] - nearest) <= np.abs(start[:, free] - nearest))
    stays, unmoved, *_ = case.in_lockstep(by_bests(case, infeasible="start", phig=0))
    np.testing.assert_array_equal(stays, unmoved)


def test_feasible_particles_keep_their_start_whatever_the_best_of_others() -> None:
    case = Case(0)  # everything is feasible
    swarms = [case.in_lockstep(by_bests(case, infeasible=best)) for best in ("zero", "start")]
    for one, other in zip(*swarms, strict=True):
        np.testing.assert_array_equal(one, other)


def test_where_nothing_is_feasible_the_first_particle_leads_either_way() -> None:
    case = Case(3)
    for best in ("zero", "start"):
        start, moved, *_ = case.in_lockstep(by_bests(case, infeasible=best, phip=0))
        np.testing.assert_array_equal(start[0], moved[0])
        assert np.all(np.abs(moved - start[0]) <= np.abs(start - start[0]))


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5, 7])
def test_the_earlier_code_is_a_matter_of_the_settings_that_it_stands_for(number: int) -> None:
    case = Case(number)
    earlier, stated = pso.Params(variant="code"), pso.Params(omega=1, minfunc=1e-8, minstep=1e-8, infeasible="zero")
    for one, other in zip(case.in_lockstep(earlier), case.in_lockstep(stated), strict=True):
        np.testing.assert_array_equal(one, other)


def test_settings_show_the_values_of_their_variant() -> None:
    paper, code = pso.Params(), pso.Params(variant="code")
    assert (paper.omega, paper.minfunc, paper.minstep, paper.infeasible) == (0.5, 0, 0, "start")
    assert (code.omega, code.minfunc, code.minstep, code.infeasible) == (1, 1e-8, 1e-8, "zero")
    assert pso.Params(variant="code", omega=0.7).omega == 0.7
    assert pso.Params(variant="code", infeasible="start").infeasible == "start"
