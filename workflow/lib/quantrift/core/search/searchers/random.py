"""Random sampling of as many candidates as a population-based search evaluates (DiverGet §5.2, RS)."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from quantrift.core.search.messages import Ask, Problem, Search


@dataclass(frozen=True)
class Params:
    """Settings of random sampling."""

    population: Annotated[int, Ge(1)] = 10
    """Candidates a generation; nb_samples = population x generations (DiverGet §6)."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return self.population, self.population


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Draw ``population`` candidates in each generation."""
    for _ in range(problem.steps(*params.sizes)):
        yield Ask(problem.space.sample(params.population, rng))
