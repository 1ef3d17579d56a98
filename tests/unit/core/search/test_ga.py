"""The lockstep genetic algorithm is geneticalgorithm's, bit for bit, on the same draws."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.search.libraries import geneticalgorithm
from quantrift.core.search.messages import Ask, Problem, Verdict
from quantrift.core.search.searchers import ga

CASES = 240


@dataclass
class Case:
    """A bounded problem with a constraint, drawn from its number."""

    number: int

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.number)
        genes, population, generations = (int(rng.integers(*ends)) for ends in ((2, 25), (4, 15), (1, 10)))
        integer = rng.random(genes) < rng.choice([0, 0.5, 0.9, 1])
        lower = np.where(integer, rng.integers(-3, 3, genes), -3 * rng.random(genes)).astype(np.float32)
        width = np.where(integer, rng.choice([1, 2, 7, 300], genes), 0.1 + 4 * rng.random(genes))
        upper = (lower + width).astype(np.float32)
        upper[3::4] = lower[3::4]  # fixed
        self.space: Any = SimpleNamespace(shape=(genes,), lower=lower, upper=upper, integer=integer)
        self.space.sample = lambda n, rng: (lower + rng.random((n, genes)) * (upper - lower)).astype(np.float32)
        self.centre = rng.random(genes)
        # Every member valid, about half, few, none.
        self.threshold = (-np.inf, 0.0, 3.0, np.inf)[self.number % 4]
        # The library sleeps two seconds whenever it stops by itself.
        self.stagnates = self.number % 60 == 6
        self.params = ga.Params(
            population=population,
            mutation=float(rng.choice([0, 0.1, 0.4, 1])),
            elite=float(rng.choice([0, 0.01, 0.3])),
            crossover=float(rng.choice([0.2, 0.5, 1])),
            parents=float(rng.choice([0.3, 0.5])),
            initial="uniform",
            max_stagnation=1 if self.stagnates else None,
        )
        inputs = np.zeros((1, 1, 1, 1), np.float32)
        generations += 10 * self.stagnates
        self.problem = Problem("some", 0, (0,), inputs, (0,), self.space, generations)

    def judge(self, candidate: np.ndarray) -> Verdict:
        violation = max(0.0, self.threshold - float(candidate[0] + candidate[1]))
        if violation:
            return Verdict(np.nan, False, min(violation, 1e3))
        value = float(np.sum((candidate - self.centre) ** 2) * np.sin(3 * candidate[0]))
        return Verdict(-round(value) / 100 if self.number % 3 == 0 else -value / 100, True, 0.0)  # some with ties

    def by_library(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """All candidates, and of each generation but the first the parents in the library's own population."""
        seen: list[np.ndarray] = []
        parents: list[np.ndarray] = []
        first, later = self.params.sizes

        def evaluate(candidate: np.ndarray) -> Verdict:
            if len(seen) >= first and (len(seen) - first) % later == 0:
                parents.append(library_parents())
            seen.append(candidate.copy())
            return self.judge(candidate)

        geneticalgorithm.run(self.problem, self.params, np.random.default_rng(self.number), evaluate)
        return np.array(seen), parents

    def in_lockstep(self, params: ga.Params | None = None) -> list[Ask]:
        search = ga.search(self.problem, params or self.params, np.random.default_rng(self.number))
        asks = [next(search)]
        while True:
            verdicts = [self.judge(candidate) for candidate in asks[-1].candidates]
            tell: Any = SimpleNamespace(
                valid=np.array([verdict.valid for verdict in verdicts]),
                fitness=np.array([[verdict.fitness] for verdict in verdicts]),
                violation=np.array([verdict.violation for verdict in verdicts]),
            )
            try:
                asks.append(search.send(tell))
            except StopIteration:
                return asks


def library_parents() -> np.ndarray:
    """Parents of the generation that the library breeds in the main thread, while it waits for an evaluation."""
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    while "ef_par" not in frame.f_locals:
        assert frame.f_back
        frame = frame.f_back
    members: np.ndarray = frame.f_locals["pop"][: frame.f_locals["self"].par_s, :-1]
    return members


def differences(first: int, last: int) -> list[str]:
    """What differs between the library and lockstep in some cases."""
    found = []
    for number in range(first, last):
        case = Case(number)
        asks = case.in_lockstep()
        candidates, parents = case.by_library()
        asked = np.concatenate([ask.candidates for ask in asks])
        if not np.array_equal(asked, candidates):
            found.append(f"candidates of case {number}")
        free = case.space.lower < case.space.upper
        survivors = [asked[ask.survivors][:, free] for ask in asks[1:]]
        if not all(
            np.array_equal(one, other.astype(np.float32)) for one, other in zip(survivors, parents, strict=True)
        ):
            found.append(f"parents of case {number}")
    return found


def without_vector_instructions() -> dict[str, str]:
    """An environment in which numpy sorts few numbers stably; elsewhere ties may differ between both."""
    vectors = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(vectors)}


@pytest.mark.slow
def test_equal_draws_give_equal_populations_and_survivors() -> None:
    step = CASES // 4
    running = [
        subprocess.Popen(
            [sys.executable, __file__, str(first), str(first + step)],
            stdout=subprocess.PIPE,
            text=True,
            env=without_vector_instructions(),
        )
        for first in range(0, CASES, step)
    ]
    assert [json.loads(one.communicate()[0]) for one in running] == [[]] * len(running)


def test_without_vector_instructions_ties_keep_their_order() -> None:
    code = "import numpy as np; print(all((np.zeros(n).argsort() == np.arange(n)).all() for n in range(2, 16)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=without_vector_instructions(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"


def test_the_cases_stop_by_stagnation_and_by_the_budget() -> None:
    ends = {(case.stagnates, len(case.in_lockstep()) == case.problem.generations) for case in map(Case, range(CASES))}
    assert {(True, False), (False, True)} <= ends
    assert (False, False) not in ends


def test_survivors_are_counted_as_often_as_they_are_members() -> None:
    for number in range(0, CASES, 7):
        case = Case(number)
        params = replace(case.params, mutation=0, initial="space")
        asks = case.in_lockstep(params)
        everyone = np.concatenate([ask.candidates for ask in asks])
        assert asks[0].survivors is None
        members, evaluated = np.arange(params.population), params.population
        for ask in asks[1:]:
            assert ask.survivors is not None
            assert len(ask.survivors) + len(ask.candidates) == params.population
            assert np.isin(ask.survivors, members).all()
            # Without mutation, children have their genes from the survivors, which are their parents.
            assert all(np.any(everyone[ask.survivors] == child, axis=0).all() for child in ask.candidates)
            members = np.concatenate([ask.survivors, evaluated + np.arange(len(ask.candidates))])
            evaluated += len(ask.candidates)


def test_the_best_member_lives_on() -> None:
    for number in range(0, CASES, 7):
        case = Case(number)
        costs: list[float] = []
        for ask in case.in_lockstep(replace(case.params, elite=0.01)):
            if ask.survivors is not None:
                assert costs[ask.survivors[0]] == min(costs)
            verdicts = [case.judge(candidate) for candidate in ask.candidates]
            costs += [float(case.params.cost(one.valid, one.fitness, one.violation)) for one in verdicts]


def test_the_space_draws_the_first_population_unless_it_is_uniform() -> None:
    case = Case(9)
    rng = np.random.default_rng(case.number)
    [first, *_] = case.in_lockstep(replace(case.params, initial="space"))
    drawn = case.space.sample(case.params.population, rng)
    np.testing.assert_array_equal(first.candidates, np.where(case.space.integer, np.rint(drawn), drawn))


def test_published_sizes() -> None:
    params = ga.Params()
    assert (params.living, params.elites, params.sizes) == (4, 1, (10, 6))
    assert (params.initial, params.penalty_offset) == ("space", 0)
    case = Case(2)
    case.problem = replace(case.problem, generations=25)
    assert sum(len(ask.candidates) for ask in case.in_lockstep(params)) == 10 + 24 * 6
    case.problem = replace(case.problem, evaluations=250)
    assert sum(len(ask.candidates) for ask in case.in_lockstep(params)) == 250


def test_in_code_each_pair_is_a_mutant_and_a_copy_of_one_parent() -> None:
    case = Case(4)
    asks = case.in_lockstep(ga.Params(variant="code"))
    everyone = np.concatenate([ask.candidates for ask in asks])
    assert len(asks) > 1
    for ask in asks[1:]:
        mutants, copies = ask.candidates[::2], ask.candidates[1::2]
        assert len(mutants) == len(copies) == 3
        assert (copies == copies[0]).all()
        assert (everyone[ask.survivors] == copies[0]).all(axis=1).any()
    free = int((case.space.lower < case.space.upper).sum())
    mutated = [(ask.candidates[::2] != ask.candidates[1]).sum(axis=1).mean() for ask in asks[1:]]
    assert 0 < np.mean(mutated) < free / 3


def test_in_code_the_threshold_is_subtracted_twice() -> None:
    assert ga.Params(variant="code").cost(False, np.nan, 3.0) == 500 + 1000 * (20 + 3)
    assert ga.Params().cost(False, np.nan, 3.0) == 500 + 1000 * 3
    assert ga.Params().cost(True, 0.25, 0.0) == -0.25
    assert ga.Params(variant="code").initial == "uniform"


@pytest.mark.parametrize("settings", [{"parents": 1}, {"population": 3, "parents": 0.9}, {"elite": 0.9}])
def test_a_population_needs_parents_and_children(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="change parents or elite"):
        ga.Params(**settings)  # type: ignore[arg-type]


if __name__ == "__main__":
    print(json.dumps(differences(int(sys.argv[1]), int(sys.argv[2]))))
