"""Particle swarm optimization with pyswarm's semantics (DiverGet §4.4.3), one swarm a search.

Synchronous updates, positions clamped to the bounds, personal bests replaced only by strictly better feasible
positions, the first of equal global bests. Draws come in pyswarm's order, so the same stream gives the same swarm,
bit for bit. Fixed genes are left out, as pyswarm refuses them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, cast

import numpy as np
from annotated_types import Ge

from quantrift.core.search.messages import Ask, Problem, Search, Tell
from quantrift.core.search.space import Free

LIBRARY = "quantrift.core.search.libraries.pyswarm"
"""Runs the library itself."""


@dataclass(frozen=True)
class Params:
    """Settings of the swarm; DiverGet adapted pyswarm and reports no values but the number of particles."""

    variant: Literal["paper", "code"] = "paper"
    """``code`` is the authors' earlier tool: other values of ``omega``, ``minfunc``, ``minstep`` and ``infeasible``."""
    swarm: Annotated[int, Ge(2)] = 10
    """Particles (DiverGet §5.4)."""
    omega: Annotated[float, Ge(0)] | None = None
    """Inertia: .5 (pyswarm), in ``code`` 1 (authors' earlier tool)."""
    phip: Annotated[float, Ge(0)] = 0.5
    """Pull towards a particle's own best (pyswarm)."""
    phig: Annotated[float, Ge(0)] = 0.5
    """Pull towards the swarm's best (pyswarm)."""
    minfunc: Annotated[float, Ge(0)] | None = None
    """Stop when the best fitness improves by no more than this; 0 is never. pyswarm's 1e-8 ends a search at once where
    divergences are tiny, so it is 0 but in ``code`` (authors' earlier tool)."""
    minstep: Annotated[float, Ge(0)] | None = None
    """Stop when the best position moves by no more than this; likewise."""
    infeasible: Literal["start", "zero"] | None = None
    """Personal best of a particle that was never feasible, which pulls it: its start (pyswarm), or in ``code`` the zero
    vector, wherever the bounds are (authors' earlier tool). With all distortions switched off, zero is the seed input.
    """

    def __post_init__(self) -> None:
        code = self.variant == "code"
        for name, value in {
            "omega": 1.0 if code else 0.5,
            "minfunc": 1e-8 if code else 0.0,
            "minstep": 1e-8 if code else 0.0,
            "infeasible": "zero" if code else "start",
        }.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return self.swarm, self.swarm


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


def _cost(tell: Tell) -> np.ndarray:
    """The cost that the swarm minimises, float64 (n,)."""
    return np.where(tell.valid, -tell.fitness[:, 0], np.inf)


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Move the swarm until the budget is spent or a stop rule of pyswarm ends it."""
    # None only until the settings have resolved their defaults.
    omega, minfunc, minstep = (cast(float, value) for value in (params.omega, params.minfunc, params.minstep))
    free = Free(problem.space)
    lower, upper = free.lower.astype(np.float64), free.upper.astype(np.float64)
    shape = (params.swarm, len(lower))
    x = np.clip(free.of(problem.space.sample(params.swarm, rng)).astype(np.float64), lower, upper)
    v = rng.uniform(lower - upper, upper - lower, size=shape)

    best_cost = _cost((yield Ask(free.full(x))))
    best = x.copy()
    if params.infeasible == "zero":
        best[np.isinf(best_cost)] = 0
    # Where nothing is feasible, the first particle leads from its start either way.
    first = int(np.argmin(best_cost))
    leader, leader_cost = x[first].copy(), best_cost[first]

    for rp, rg in _uniforms(rng, problem.steps(*params.sizes) - 1, shape):
        v = omega * v + params.phip * rp * (best - x) + params.phig * rg * (leader - x)
        x = np.clip(x + v, lower, upper)
        cost = _cost((yield Ask(free.full(x))))
        better = cost < best_cost
        best[better], best_cost = x[better], np.where(better, cost, best_cost)
        first = int(np.argmin(best_cost))
        if best_cost[first] < leader_cost:
            moved = leader - best[first]
            if leader_cost - best_cost[first] <= minfunc or np.sqrt(np.sum(moved * moved)) <= minstep:
                return
            leader, leader_cost = best[first].copy(), best_cost[first]
