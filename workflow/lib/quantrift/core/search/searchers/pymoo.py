"""Single-objective algorithms of the library pymoo, by one adapter over its ask and tell.

pymoo's constraint handling decides between valid and other candidates. Integer genes move like real ones, as in PSO.
All draws come from the search's own stream, which pymoo 0.6.2 hands to the operators of these algorithms, so searches
side by side do not disturb each other. That is not so for all of its algorithms: CMA-ES draws from numpy's global
functions, and the evolution strategies with stochastic ranking rank with a generator of their own without a seed.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge

from quantrift.core.search.libraries.installed import library
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.space import Free


@dataclass(frozen=True)
class Params:
    """Settings of the search; all others are pymoo's defaults."""

    algorithm: Literal["de", "ga", "pso"] = "de"
    """Differential evolution, genetic algorithm, or particle swarm whose weights adapt."""
    population: Annotated[int, Ge(4)] = 10
    """Candidates a generation (DiverGet §5.4)."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return self.population, self.population


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Pass on the candidates that pymoo asks for, until the budget is spent."""
    algorithms = library(f"pymoo.algorithms.soo.nonconvex.{params.algorithm}")
    free = Free(problem.space)
    lower, upper = free.lower.astype(np.float64), free.upper.astype(np.float64)
    start = np.clip(free.of(problem.space.sample(params.population, rng)).astype(np.float64), lower, upper)
    bounds = library("pymoo.core.problem").Problem(n_var=len(lower), n_obj=1, n_ieq_constr=1, xl=lower, xu=upper)
    algorithm = getattr(algorithms, params.algorithm.upper())(pop_size=params.population, sampling=start)
    # A generator given as a seed is the one it draws from.
    algorithm.setup(bounds, termination=library("pymoo.core.termination").NoTermination(), seed=rng)

    for _ in range(problem.steps(*params.sizes)):
        members = algorithm.ask()
        # Nothing where the algorithm refuses duplicates and finds no other candidate.
        if members is None:
            return
        tell = yield Ask(free.full(members.get("X")))
        # The cost of a candidate that is not valid is above all others, but finite, as pymoo computes with it.
        members.set(F=np.where(tell.valid, -tell.fitness[:, 0], 1e30)[:, None], G=tell.violation[:, None])
        algorithm.tell(infills=members)
