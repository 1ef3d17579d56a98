"""Random sampling that redraws until its whole budget is valid.

The fair baseline for a search that learns to stay valid: it separates finding valid inputs from finding disagreements.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from quantrift.search.messages import Ask, Problem, Result, Search


@dataclass(frozen=True)
class Params:
    """Settings of random sampling among valid candidates."""

    population: Annotated[int, Ge(1)] = 10
    """Most candidates drawn at once; population x generations valid ones are wanted."""
    max_draws: Annotated[int, Ge(1)] = 100
    """Draws for each wanted candidate before a search gives up, so that it ends where hardly anything is valid
    (chosen)."""


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Draw until population x generations candidates were valid, never one too many."""
    wanted = params.population * problem.generations
    left = wanted * params.max_draws
    while wanted > 0 and left > 0:
        n = min(params.population, wanted, left)
        tell = yield Ask(problem.space.sample(n, rng))
        wanted -= int(tell.valid.sum())
        left -= n
    return Result()
