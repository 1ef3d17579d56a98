"""Exhaustive enumeration of a finite neighbourhood: the truth that other searchers are measured against.

A search that finds nothing has run both networks on every member, so the networks agree on all of them.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.spaces.neighbourhood import Members

SPACES = ("neighbourhood",)


@dataclass(frozen=True)
class Params:
    """Settings of the enumeration."""

    together: Annotated[int, Ge(1)] = 256
    """Members of a generation."""


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Ask for every member once, in the order of the axes.

    Raises:
        QuantriftError: the budget ends before the neighbourhood does, or it is another space.
    """
    if not isinstance(problem.space, Members):
        raise QuantriftError("exhaustive: enumerates finite neighbourhoods; take space neighbourhood")
    size = problem.space.neighbourhood.size
    if problem.evaluations is None or problem.evaluations < size:
        allowed = "counts generations" if problem.evaluations is None else f"allows {problem.evaluations:,} evaluations"
        raise QuantriftError(
            f"exhaustive: '{problem.space.neighbourhood.text}' has {size:,} members, and the protocol {allowed}; set "
            f"evaluations to {size:,} or more"
        )
    for start in range(0, size, params.together):
        yield Ask(problem.space.part(start, min(start + params.together, size)))
