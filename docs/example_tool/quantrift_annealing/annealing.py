"""Simulated annealing: one candidate at a time; a worse one is kept now and then, ever more rarely."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.search.messages import Ask, Problem, Search


@dataclass(frozen=True)
class Params:
    """Settings of the annealing."""

    step: float = 0.2
    """Standard deviation of a move, as a share of each gene's range."""
    warmth: float = 0.1
    """Loss of fitness that is accepted with probability 1 / e at the beginning."""


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Move from the candidate that was kept last."""
    lower, upper = problem.space.lower, problem.space.upper
    steps = problem.steps(1, 1)
    kept, fitness = problem.space.sample(1, rng), -np.inf
    candidate = kept
    for number in range(steps):
        tell = yield Ask(candidate)
        # An invalid candidate has no fitness.
        gain = float(tell.fitness[0, 0]) - fitness if tell.valid[0] else -np.inf
        cooled = params.warmth * (1 - number / steps)
        if gain >= 0 or rng.random() < np.exp(gain / cooled):
            kept, fitness = candidate, float(tell.fitness[0, 0])
        move = rng.normal(0, params.step, kept.shape) * (upper - lower)
        candidate = np.clip(kept + move, lower, upper)
