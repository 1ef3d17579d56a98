"""Runs the unmodified library geneticalgorithm 1.0.2 for searches of the searcher ``ga``."""

import contextlib
import io
import threading

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.search.libraries.installed import library
from quantrift.core.search.messages import Evaluate, Problem
from quantrift.core.search.searchers.ga import Params
from quantrift.core.search.space import Free


class _Ended(Exception):
    """Ends the library's run when an evaluation raises."""


def check(params: Params) -> None:
    """Refuse settings that the library does not support.

    Raises:
        QuantriftError: the setting to take instead, in one line.
    """
    refuse(
        (params.variant != "paper", "the library geneticalgorithm has no variant 'code'; take `engine: lockstep`"),
        (
            params.initial != "uniform",
            "geneticalgorithm draws its own population; set `initial: uniform`, or take `engine: lockstep`",
        ),
    )


def run(problem: Problem, params: Params, rng: np.random.Generator, evaluate: Evaluate) -> None:
    """Run one search; on the same stream it breeds the lockstep searcher's vectors, except where costs are equal.

    With ``max_stagnation``, the library sleeps two seconds when it stops.

    Raises:
        QuantriftError: for what the library cannot do, or where it is not installed.
    """
    check(params)
    free = Free(problem.space)
    raised: list[BaseException] = []

    def cost(genes: np.ndarray) -> float:
        # The library calls this in a thread of its own, which does not pass on every exception.
        try:
            verdict = evaluate(free.full(genes[None])[0])
        except BaseException as error:
            raised.append(error)
            raise _Ended from error
        return float(params.cost(verdict.valid, verdict.fitness, verdict.violation))

    first, later = params.sizes
    search = library("geneticalgorithm").geneticalgorithm(
        cost,
        len(free.lower),
        variable_type_mixed=np.where(free.integer, "int", "real")[:, None],
        variable_boundaries=np.stack([free.lower, free.upper], axis=1).astype(np.float64),
        function_timeout=threading.TIMEOUT_MAX,
        algorithm_parameters={
            "max_num_iteration": problem.steps(first, later) - 1,
            "population_size": params.population,
            "mutation_probability": params.mutation,
            "elit_ratio": params.elite,
            "crossover_probability": params.crossover,
            "parents_portion": params.parents,
            "crossover_type": "uniform",
            "max_iteration_without_improv": params.max_stagnation,
        },
        convergence_curve=False,
        progress_bar=False,
    )
    # It draws from numpy's global functions, which draw from our stream meanwhile; and it prints its result.
    everyone = np.random.get_bit_generator()  # type: ignore[attr-defined]
    np.random.set_bit_generator(rng.bit_generator)  # type: ignore[attr-defined]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            search.run()
    except _Ended:
        raise raised[0] from None
    finally:
        np.random.set_bit_generator(everyone)  # type: ignore[attr-defined]
