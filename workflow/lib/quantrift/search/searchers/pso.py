"""Particle swarm optimization with pyswarm's semantics (DiverGet §4.4.3), one swarm a seed input.

Synchronous updates, positions clamped to the bounds, personal bests replaced only by strictly better feasible
positions, the first of equal global bests. Infeasible particles keep their start point as personal best, as in
pyswarm 1.x. Draws come in pyswarm's order, so the same stream gives the same swarm, bit for bit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from quantrift.search.messages import Ask, Problem, Result, Search


@dataclass(frozen=True)
class Params:
    """Settings of the swarm; defaults are pyswarm's, which DiverGet adapted and reports no others."""

    swarm: Annotated[int, Ge(2)] = 10
    """Particles (DiverGet §5.4)."""
    omega: Annotated[float, Ge(0)] = 0.5
    """Inertia."""
    phip: Annotated[float, Ge(0)] = 0.5
    """Pull towards a particle's own best."""
    phig: Annotated[float, Ge(0)] = 0.5
    """Pull towards the swarm's best."""
    minfunc: Annotated[float, Ge(0)] | None = None
    """Stop when the best fitness improves by no more than this. pyswarm's 1e-8 ends a search at once where
    divergences are tiny, so it is off."""
    minstep: Annotated[float, Ge(0)] | None = None
    """Stop when the best position moves by no more than this; off for the same reason."""


def _uniforms(rng: np.random.Generator, steps: int, shape: tuple[int, int]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(rp, rg) of each step, as if all rp and then all rg were drawn at once, without holding them.

    pyswarm draws (steps, swarm, genes) numbers twice; held for every search of a wave, that would be most of the
    memory. A double takes one output of PCG64, so a copy of the generator is moved past all rp instead.
    """
    later = np.random.Generator(np.random.PCG64())
    later.bit_generator.state = rng.bit_generator.state
    later.bit_generator.advance(steps * shape[0] * shape[1])  # type: ignore[attr-defined]
    for _ in range(steps):
        yield rng.random(shape), later.random(shape)


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Fly the swarm for ``generations - 1`` moves after its initial evaluation; the cost is minus the fitness."""
    lower, upper = problem.space.lower.astype(np.float64), problem.space.upper.astype(np.float64)
    shape = (params.swarm, len(lower))
    x = np.clip(problem.space.sample(params.swarm, rng).astype(np.float64), lower, upper)
    v = rng.uniform(lower - upper, upper - lower, size=shape)

    tell = yield Ask(x)
    cost = np.where(tell.valid, -tell.fitness[:, 0], np.inf)
    best, best_cost = x.copy(), cost
    first = int(np.argmin(best_cost))
    leader, leader_cost = best[first].copy(), best_cost[first]

    for rp, rg in _uniforms(rng, problem.generations - 1, shape):
        v = params.omega * v + params.phip * rp * (best - x) + params.phig * rg * (leader - x)
        x = np.clip(x + v, lower, upper)
        tell = yield Ask(x)
        cost = np.where(tell.valid, -tell.fitness[:, 0], np.inf)
        better = cost < best_cost
        best[better], best_cost = x[better], np.where(better, cost, best_cost)
        first = int(np.argmin(best_cost))
        if best_cost[first] < leader_cost:
            gain, moved = leader_cost - best_cost[first], leader - best[first]
            if params.minfunc is not None and gain <= params.minfunc:
                break
            if params.minstep is not None and np.sqrt(np.sum(moved * moved)) <= params.minstep:
                break
            leader, leader_cost = best[first].copy(), best_cost[first]
    return Result()
