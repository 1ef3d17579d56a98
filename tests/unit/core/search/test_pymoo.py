"""pymoo's algorithms behind the protocol of searchers."""

import sys
from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.messages import Problem, Search
from quantrift.core.search.searchers import pymoo

ALGORITHMS = get_args(get_type_hints(pymoo.Params)["algorithm"])
GENES = 12
LOWER = np.linspace(-2, 0, GENES).astype(np.float32)
UPPER = np.where(np.arange(GENES) % 4 == 3, LOWER, LOWER + 3).astype(np.float32)


def start(algorithm: str, seed: int, **limits: Any) -> Search:
    space: Any = SimpleNamespace(shape=(GENES,), lower=LOWER, upper=UPPER, integer=np.arange(GENES) == 0)
    space.sample = lambda n, rng: (LOWER + rng.random((n, GENES)) * (UPPER - LOWER)).astype(np.float32)
    inputs = np.zeros((1, 1, 1, 1), np.float32)
    problem = Problem("some", 0, (0,), inputs, (0,), space, **({"generations": 25} | limits))
    return pymoo.search(problem, pymoo.Params(algorithm=algorithm), np.random.default_rng(seed))  # type: ignore[arg-type]


def tell(candidates: np.ndarray, threshold: float) -> Any:
    violation = np.maximum(0, threshold - candidates[:, 1].astype(np.float64))
    fitness = np.where(violation > 0, np.nan, -((candidates - 0.25) ** 2).sum(axis=1))
    return SimpleNamespace(valid=violation == 0, fitness=fitness[:, None], violation=violation)


def whole(search: Search, threshold: float = -1.5) -> list[np.ndarray]:
    """The candidates of each generation."""
    asked = [next(search).candidates]
    while True:
        try:
            asked.append(search.send(tell(asked[-1], threshold)).candidates)
        except StopIteration:
            return asked


@pytest.mark.parametrize("algorithm", ALGORITHMS)
class TestEachAlgorithm:
    def test_spends_its_generations_within_the_bounds(self, algorithm: str) -> None:
        asked = whole(start(algorithm, 1))
        assert [len(candidates) for candidates in asked] == [10] * 25
        everyone = np.concatenate(asked)
        assert everyone.dtype == np.float32
        assert (everyone >= LOWER).all()
        assert (everyone <= UPPER).all()

    def test_a_limit_on_evaluations_stands_in_place_of_generations(self, algorithm: str) -> None:
        assert sum(len(candidates) for candidates in whole(start(algorithm, 1, evaluations=74))) == 70

    def test_depends_on_its_own_stream_alone(self, algorithm: str) -> None:
        for threshold in (-np.inf, -1.5, 0.5, np.inf):
            expected = [whole(start(algorithm, seed), threshold) for seed in (1, 2)]
            searches = [start(algorithm, seed) for seed in (1, 2)]
            asked = [[next(search).candidates] for search in searches]
            np.random.seed(7)
            for _ in range(24):
                for search, own in zip(searches, asked, strict=True):
                    own.append(search.send(tell(own[-1], threshold)).candidates)
            np.testing.assert_array_equal(asked, expected)
            assert not np.array_equal(asked[0], asked[1])

    def test_leaves_global_draws_alone(self, algorithm: str) -> None:
        state = str(np.random.get_state())
        whole(start(algorithm, 1))
        assert str(np.random.get_state()) == state

    def test_becomes_better_and_valid(self, algorithm: str) -> None:
        asked = whole(start(algorithm, 3, generations=60), threshold=0.5)
        best = [np.nanmax(tell(candidates, 0.5).fitness, initial=-np.inf) for candidates in (asked[0], *asked[-5:])]
        assert max(best[1:]) > best[0]
        assert tell(asked[-1], 0.5).valid.mean() > tell(asked[0], 0.5).valid.mean()

    @pytest.mark.filterwarnings("error")
    def test_goes_on_where_nothing_is_valid(self, algorithm: str) -> None:
        asked = whole(start(algorithm, 1), threshold=np.inf)
        assert np.isfinite(np.concatenate(asked)).all()

    def test_prints_nothing(self, algorithm: str, capfd: pytest.CaptureFixture[str]) -> None:
        whole(start(algorithm, 1))
        assert capfd.readouterr() == ("", "")


def test_the_configured_example_is_differential_evolution() -> None:
    assert pymoo.Params() == pymoo.Params(algorithm="de", population=10)


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pymoo"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pymoo", None)
    with pytest.raises(QuantriftError, match=r"pymoo.*pip install quantrift\[libraries\]"):
        next(start("de", 1))
