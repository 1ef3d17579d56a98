"""A genetic algorithm with the semantics of geneticalgorithm 1.0.2 (DiverGet §4.4.3), one population a search.

A generation evaluates new children only: 10 candidates at first, then 6 in each generation, beside 4 parents that live
on. Draws within a generation do not depend on fitness, so its children are asked for at once. Draws come in the
library's order, so the same stream gives the same population, bit for bit, with one exception. The library's sort is
unstable: its order among equal costs depends on the processor. Here equals keep their order.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, cast

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import ArrayLike

from quantrift.core.search.libraries.legacy_draws import LegacyDraws
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.space import Free

LIBRARY = "quantrift.core.search.libraries.geneticalgorithm"
"""Runs the library itself."""

Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class Params:
    """Settings of the population; DiverGet adapted geneticalgorithm and reports no values but its size."""

    variant: Literal["paper", "code"] = "paper"
    """``code`` is the authors' earlier tool: other values of ``initial`` and ``penalty_offset``, and each pair of
    children is a mutant and an exact copy of one and the same parent (see ``Breeding.children``)."""
    population: Annotated[int, Ge(2)] = 10
    """Members (DiverGet §5.4)."""
    mutation: Share = 0.1
    """Probability that a child's gene mutates (geneticalgorithm 1.0.2)."""
    elite: Share = 0.01
    """Share of the best members that always become parents; at least one, unless 0 (geneticalgorithm 1.0.2)."""
    crossover: Annotated[float, Gt(0), Le(1)] = 0.5
    """Probability that a parent breeds; every parent lives on (geneticalgorithm 1.0.2)."""
    parents: Share = 0.3
    """Share of the members that become parents; one more where the children would not come in pairs
    (geneticalgorithm 1.0.2)."""
    penalty_base: Annotated[float, Ge(0)] = 500.0
    """Cost of a candidate that is not valid (authors' earlier tool)."""
    penalty_slope: Annotated[float, Ge(0)] = 1000.0
    """Added cost per unit of violation, dB for PSNR (authors' earlier tool)."""
    penalty_offset: Annotated[float, Ge(0)] | None = None
    """Added to the violation: 0, in ``code`` 20, as the authors' earlier tool subtracts its threshold of 20 dB from the
    PSNR twice."""
    initial: Literal["space", "uniform"] | None = None
    """Source of the first population: the space's own random vectors, or each gene drawn uniformly between its
    bounds, in ``code`` (authors' earlier tool, geneticalgorithm 1.0.2)."""
    max_stagnation: Annotated[int, Ge(0)] | None = None
    """Stop when more than this many generations in a row brought no better member (geneticalgorithm 1.0.2's
    max_iteration_without_improv; None there, too)."""

    def __post_init__(self) -> None:
        code = self.variant == "code"
        if self.penalty_offset is None:
            object.__setattr__(self, "penalty_offset", 20.0 if code else 0.0)
        if self.initial is None:
            object.__setattr__(self, "initial", "uniform" if code else "space")
        if not max(1, self.elites) <= self.living < self.population:
            raise ValueError(
                f"of {self.population} members {self.living} are parents and {self.elites} of these are elite; there "
                "must be a parent, no more elites than parents, and room for children: change parents or elite"
            )

    @property
    def living(self) -> int:
        """Parents, which live on for another generation."""
        count = int(self.parents * self.population)
        return count + (self.population - count) % 2

    @property
    def elites(self) -> int:
        """Best members among them."""
        count = self.population * self.elite
        return 1 if 0 < count < 1 else int(count)

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return self.population, self.population - self.living

    def cost(self, valid: ArrayLike, fitness: ArrayLike, violation: ArrayLike) -> np.ndarray:
        """The cost that the population minimises, float64, of one candidate or many.

        Only valid candidates are run, so the penalty stands in the place of a cost (the authors' earlier tool adds it
        to one, which is less than 1).
        """
        penalty = self.penalty_base + self.penalty_slope * (np.asarray(violation) + cast(float, self.penalty_offset))
        return np.where(valid, -np.asarray(fitness), penalty)


class Breeding:
    """Breeding of vectors of free genes; integer genes are drawn before real ones."""

    def __init__(self, params: Params, free: Free, draws: LegacyDraws) -> None:
        self._params, self._draws = params, draws
        # Integers are drawn below their end, which is therefore one above their upper bound.
        self._lower, self._end = free.lower.astype(np.float64), free.upper.astype(np.float64) + free.integer
        # Lists, as these are read gene by gene.
        self._integers, self._reals = np.flatnonzero(free.integer).tolist(), np.flatnonzero(~free.integer).tolist()
        self._anywhere = self._lower.tolist(), self._end.tolist()

    def vector(self) -> np.ndarray:
        """A uniform vector, float64 (g,)."""
        genes = np.empty(len(self._lower))
        low, end = self._anywhere
        genes[self._integers] = [self._draws.randint(int(low[gene]), int(end[gene])) for gene in self._integers]
        lower = self._lower[self._reals]
        genes[self._reals] = lower + self._draws.random(len(lower)) * (self._end[self._reals] - lower)
        return genes

    def parents(self, costs: np.ndarray) -> np.ndarray:
        """Places of the parents in a population with these costs (n,), sorted: elite, then a draw by roulette."""
        shifted = costs + abs(costs[0]) if costs[0] < 0 else costs
        weights, elites = shifted.max() - shifted + 1, self._params.elites
        wheel = np.cumsum(weights / np.sum(weights))
        drawn = np.searchsorted(wheel, self._draws.random(self._params.living - elites))
        # The wheel may end a rounding error below 1, where the library would fail.
        return np.concatenate([np.arange(elites), np.minimum(drawn, len(costs) - 1)])

    def breeders(self, parents: np.ndarray) -> np.ndarray:
        """Those of the parents that breed, at least one."""
        chosen = np.zeros(len(parents), bool)
        while not chosen.any():
            chosen |= self._draws.random(len(parents)) <= self._params.crossover
        return parents[chosen]

    def children(self, breeders: np.ndarray) -> list[np.ndarray]:
        """A pair of children of breeders (b, g)."""
        if self._params.variant == "code":
            # The authors' earlier tool counts its breeders wrongly, as one, so that both parents are the first of
            # them; and what should mutate the second child compares arrays with an empty list, which never holds.
            return [self._mutated(breeders[0], *self._anywhere), breeders[0]]
        first, second = (breeders[self._draws.randint(0, len(breeders))] for _ in range(2))
        swap = self._draws.random(len(first)) < 0.5
        # The second child's genes mutate to values between those of its parents, where these differ.
        same = first == second
        low = np.where(same, self._lower, np.minimum(first, second))
        end = np.where(same, self._end, np.maximum(first, second))
        return [
            self._mutated(np.where(swap, second, first), *self._anywhere),
            self._mutated(np.where(swap, first, second), low.tolist(), end.tolist()),
        ]

    def _mutated(self, child: np.ndarray, low: list[float], end: list[float]) -> np.ndarray:
        """The child with some genes drawn anew from ``low`` to, for integers below, ``end``."""
        draws, child = self._draws, child.copy()
        for item in draws.chosen(len(self._integers)):
            gene = self._integers[item]
            child[gene] = draws.randint(int(low[gene]), int(end[gene]))
        for item in draws.chosen(len(self._reals)):
            gene = self._reals[item]
            child[gene] = low[gene] + float(draws.random(1)[0]) * (end[gene] - low[gene])
        return child


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Breed until the budget is spent or nothing has become better for too long."""
    free = Free(problem.space)
    if params.initial == "space":
        start = np.clip(free.of(problem.space.sample(params.population, rng)), free.lower, free.upper)
        genes = np.where(free.integer, np.rint(start), start).astype(np.float64)
        breeding = Breeding(params, free, LegacyDraws(rng, params.mutation))
    else:
        breeding = Breeding(params, free, LegacyDraws(rng, params.mutation))
        genes = np.array([breeding.vector() for _ in range(params.population)])
    first, later = params.sizes
    tell = yield Ask(free.full(genes))
    costs = params.cost(tell.valid, tell.fitness[:, 0], tell.violation)
    numbers = np.arange(first)
    # The library takes its last member for the best before it has looked at the others.
    best, stagnation = costs[-1], 0

    for step in range(problem.steps(first, later) - 1):
        order = np.argsort(costs, kind="stable")
        genes, costs, numbers = genes[order], costs[order], numbers[order]
        stagnation = 0 if costs[0] < best else stagnation + 1
        best = min(best, costs[0])

        parents = breeding.parents(costs)
        breeders = genes[breeding.breeders(parents)]
        children = np.array([child for _ in range(later // 2) for child in breeding.children(breeders)])
        tell = yield Ask(free.full(children), survivors=numbers[parents])

        genes = np.concatenate([genes[parents], children])
        costs = np.concatenate([costs[parents], params.cost(tell.valid, tell.fitness[:, 0], tell.violation)])
        numbers = np.concatenate([numbers[parents], first + step * later + np.arange(later)])
        if params.max_stagnation is not None and stagnation > params.max_stagnation and costs.min() >= best:
            return
