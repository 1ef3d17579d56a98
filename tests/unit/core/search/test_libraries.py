"""Search libraries run unmodified, quietly, one evaluation a candidate, and leave everybody else's draws alone."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.libraries import geneticalgorithm, pyswarm
from quantrift.core.search.libraries.legacy_draws import LegacyDraws
from quantrift.core.search.messages import Problem, Verdict
from quantrift.core.search.searchers import ga, pso

LIBRARIES = [
    pytest.param(pyswarm, pso.Params(swarm=5), id="pyswarm"),
    pytest.param(geneticalgorithm, ga.Params(population=6, initial="uniform"), id="geneticalgorithm"),
]


def problem(generations: int = 6) -> Problem:
    lower, upper = np.array([-1, 0, 2, 0], np.float32), np.array([1, 3, 2, 0.5], np.float32)
    space: Any = SimpleNamespace(shape=(4,), lower=lower, upper=upper, integer=np.array([False, True, False, False]))
    space.sample = lambda n, rng: (lower + rng.random((n, 4)) * (upper - lower)).astype(np.float32)
    return Problem("some", 0, (0,), np.zeros((1, 1, 1, 1), np.float32), (0,), space, generations)


def judge(candidate: np.ndarray) -> Verdict:
    violation = max(0.0, 0.2 - float(candidate[0]))
    return Verdict(np.nan if violation else float(candidate.sum()), not violation, violation)


@pytest.mark.parametrize(("library", "params"), LIBRARIES)
def test_as_many_candidates_are_evaluated_as_lockstep_asks_for(library: Any, params: Any) -> None:
    seen: list[np.ndarray] = []

    def evaluate(candidate: np.ndarray) -> Verdict:
        seen.append(candidate)
        return judge(candidate)

    library.run(problem(), params, np.random.default_rng(1), evaluate)
    first, later = params.sizes
    assert len(seen) == first + 5 * later
    everyone = np.array(seen)
    assert everyone.shape[1] == 4
    assert (everyone >= problem().space.lower).all()
    assert (everyone <= problem().space.upper).all()


@pytest.mark.parametrize(("library", "params"), LIBRARIES)
@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("last", [1, 3, 9])
def test_an_exception_ends_the_search_and_comes_through(
    library: Any, params: Any, error: type[BaseException], last: int
) -> None:
    raised, seen = error(), 0

    def evaluate(candidate: np.ndarray) -> Verdict:
        nonlocal seen
        seen += 1
        if seen == last:
            raise raised
        return judge(candidate)

    state = str(np.random.get_state())
    with pytest.raises(error) as caught:
        library.run(problem(), params, np.random.default_rng(1), evaluate)
    assert caught.value is raised
    assert seen == last
    assert str(np.random.get_state()) == state


@pytest.mark.parametrize(("library", "params"), LIBRARIES)
@pytest.mark.parametrize("feasible", [True, False])
def test_nothing_is_printed_and_global_draws_stay(
    library: Any, params: Any, feasible: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    state = str(np.random.get_state())
    verdict = Verdict(0.5, True, 0.0) if feasible else Verdict(np.nan, False, 1.0)
    library.run(problem(), params, np.random.default_rng(1), lambda candidate: verdict)
    assert str(np.random.get_state()) == state
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("library", "params", "generations", "hint"),
    [
        (pyswarm, pso.Params(variant="code"), 6, "engine: lockstep"),
        (pyswarm, pso.Params(infeasible="zero"), 6, "infeasible: start"),
        (pyswarm, pso.Params(), 1, "two generations"),
        (geneticalgorithm, ga.Params(variant="code"), 6, "engine: lockstep"),
        (geneticalgorithm, ga.Params(), 6, "initial: uniform"),
    ],
)
def test_what_a_library_cannot_do_is_refused(library: Any, params: Any, generations: int, hint: str) -> None:
    with pytest.raises(QuantriftError, match=hint):
        library.run(problem(generations), params, np.random.default_rng(1), judge)


@pytest.mark.parametrize(("library", "params"), LIBRARIES)
def test_a_missing_library_is_named_with_its_extra(
    library: ModuleType, params: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = library.__name__.rpartition(".")[2]
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(QuantriftError, match=rf"{name}.*pip install quantrift\[libraries\]"):
        library.run(problem(), params, np.random.default_rng(1), judge)


CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("random"), st.integers(0, 700), st.just(0)),
        st.tuples(st.just("randint"), st.integers(-9, 9), st.sampled_from([1, 2, 3, 100, 2**31, 2**32])),
        st.tuples(st.just("chosen"), st.integers(0, 700), st.integers(1, 5)),
    ),
    max_size=40,
)


@given(st.integers(0, 99), st.booleans(), st.sampled_from([0, 0.1, 0.5, 1]), CALLS)
def test_legacy_draws_are_those_of_numpy(
    seed: int, half: bool, share: float, calls: list[tuple[str, int, int]]
) -> None:
    ours, theirs = np.random.default_rng(seed), np.random.default_rng(seed)
    for rng in (ours, theirs):
        rng.integers(0, 2, 1 + half)  # one of two leaves half of an output behind
    draws, numpy = LegacyDraws(ours, share), np.random.RandomState(theirs.bit_generator)
    for kind, one, other in calls:
        if kind == "random":
            np.testing.assert_array_equal(draws.random(one), numpy.random_sample(one))
        elif kind == "randint":
            assert draws.randint(one, one + other) == numpy.randint(one, one + other)
        else:
            found = [(item, draws.randint(0, other)) for item in draws.chosen(one)]
            assert found == [(item, numpy.randint(0, other)) for item in range(one) if numpy.random_sample() < share]


def test_legacy_draws_refuse_other_generators() -> None:
    with pytest.raises(ValueError, match="PCG64"):
        LegacyDraws(np.random.Generator(np.random.MT19937(0)), 0.1)
