"""Random sampling of valid candidates: invalid ones are redrawn and not counted.

The fair baseline for a search that learns to stay valid: it separates finding valid inputs from finding disagreements.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from quantrift.core.search.messages import Ask, Problem, Search

VALID_ALONE = True
"""Its budget counts valid candidates alone."""


@dataclass(frozen=True)
class Params:
    """Settings of random sampling among valid candidates."""

    population: Annotated[int, Ge(1)] = 10
    """Valid candidates a generation; ``random`` with this population draws as many of any kind."""
    at_once: Annotated[int, Ge(1)] = 100
    """Most candidates drawn at once (chosen: where few are valid, small draws cost more than the networks)."""
    max_draws: Annotated[int, Ge(1)] = 100
    """Draws per valid candidate before a search gives up, so that it ends where hardly anything is valid
    (chosen)."""


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Draw until the budget is spent on valid candidates, never one too many; the others do not count."""
    wanted = params.population * problem.steps(params.population, params.population)
    left = wanted * params.max_draws
    while wanted > 0 and left > 0:
        n = min(params.at_once, wanted, left)
        wanted -= int((yield Ask(problem.space.sample(n, rng))).valid.sum())
        left -= n
