"""No search evaluates more candidates than it may, and each comes as near as whole generations allow."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.base import search_parts
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.library_engine import LibraryEngine
from quantrift.core.search.tool import build
from quantrift.judge.verdict.tool_check import StandIns

SHAPE = (6, 5, 3)
SMALL: dict[str, dict[str, Any]] = {
    "coverage_fuzz": {"mutations": 7},
    "diffchaser": {"population": 12},
    "ga": {"population": 8, "initial": "uniform"},
    "metropolis_hastings": {},
    "pso": {"swarm": 5},
    "pymoo": {"population": 6},
    "random": {"population": 9},
    "surrogate": {"start": 5, "pool": 30},
}
OBJECTIVES = {"diffchaser": "k_uncertainty", "metropolis_hastings": "top1_distance"}
# Bounded otherwise: by valid candidates alone, which experiments with a bound refuse; and by tests of their own, as one
# needs gradients, and the other all members of a neighbourhood.
OTHERS = {"random_feasible", "gradient", "exhaustive"}


def evaluated(searcher: str, evaluations: int, engine: type[Engine | LibraryEngine]) -> list[int]:
    """Candidates of each search, in a space that suits the searcher; all are valid."""
    module = search_parts.load("searcher", searcher)
    space = getattr(module, "SPACES", ("image_distortions",))[0]
    named = {"space": space, "constraint": "none", "objective": OBJECTIVES.get(searcher, "jensen_shannon")}
    resolved: dict[str, Any] = {
        kind: {"name": name, "params": vars(search_parts.load(kind, name).Params())} for kind, name in named.items()
    }
    resolved["searcher"] = {"name": searcher, "params": vars(module.Params(**SMALL[searcher]))}
    networks = StandIns.of(SHAPE, 2)
    tool = build("mine", resolved, networks.domain)
    counts = [0, 0]
    for event in engine(Evaluator(tool, networks)).run(networks.problems(tool, evaluations)):
        if isinstance(event, Step):
            counts[event.number] += len(event.candidates)
    return counts


def test_every_searcher_is_looked_at() -> None:
    assert {*SMALL, *OTHERS} == {*search_parts.available("searcher")}


@pytest.mark.parametrize("searcher", SMALL)
@given(extra=st.integers(0, 60))
@settings(max_examples=12)
def test_a_search_spends_its_budget_in_whole_generations_and_no_more(searcher: str, extra: int) -> None:
    first, later = search_parts.load("searcher", searcher).Params(**SMALL[searcher]).sizes
    for count in evaluated(searcher, first + extra, Engine):
        assert count <= first + extra
        # pymoo's algorithms leave out what they have asked before.
        assert count > first + extra - later or searcher == "pymoo"
        assert (count - first) % later == 0 or searcher == "pymoo"


@pytest.mark.parametrize("searcher", ["pso", "ga"])
@pytest.mark.parametrize("extra", [0, 3, 23])
def test_a_library_evaluates_no_more_either(searcher: str, extra: int) -> None:
    pytest.importorskip({"pso": "pyswarm", "ga": "geneticalgorithm"}[searcher])
    first, later = search_parts.load("searcher", searcher).Params(**SMALL[searcher]).sizes
    least = first + (later if searcher == "pso" else 0)
    for count in evaluated(searcher, least + extra, LibraryEngine):
        assert least + extra - later < count <= least + extra


def test_noise_around_no_seed_input_counts_as_well() -> None:
    assert evaluated("random", 27, Engine) == [27, 27]
    assert np.array_equal(evaluated("random", 26, Engine), [18, 18])
