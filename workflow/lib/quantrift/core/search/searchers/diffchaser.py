"""DiffChaser's genetic algorithm (DiffChaser §3.3, Algorithm 1): a search for inputs near a decision boundary.

The population has a half for each model, of members that this model alone judges. The best of a half lives on without
being evaluated again; its other members are replaced by children, each of two winners of tournaments within the half,
whose values it takes at random and mutates. The paper speaks of pixels; each channel of a pixel is a gene of its own
here (chosen). The paper gives the size of the population alone: other values are those of a public re-implementation.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Gt, Le

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.masks import coins, crossed, rare
from quantrift.core.search.messages import Ask, Problem, Search, Tell
from quantrift.core.search.spaces.pixels import Pixels

SPACES = ("pixels",)
"""The space whose candidates it breeds."""
AT_ONCE = 64
"""Children made together: few enough to stay in the processor's caches."""

Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class Params:
    """Settings of the population."""

    variant: Literal["paper", "code"] = "paper"
    """``paper``: a child that has left the radius around the seed input is put back to its edge (projection; hardly any
    would stay inside by itself). ``code``: only the first population keeps to the radius."""
    black_box: Literal["both", "original"] = "both"
    """Whose logits are seen: of both models, or of the original alone, whose population is then not divided (§3.3)."""
    population: Annotated[int, Ge(4)] = 1000
    """Members (§4.1)."""
    radius: Annotated[float, Gt(0), Le(1)] = 8 / 255
    """Largest difference from the seed input in any gene, as a share of the range of values (public
    re-implementation)."""
    tournament: Annotated[int, Ge(1)] = 4
    """Members of a tournament (public re-implementation)."""
    crossover: Share = 0.5
    """Probability that a gene comes from the second parent (public re-implementation)."""
    mutation: Share = 0.01
    """Probability that a gene changes to any value of the range, the paper's r2 (public re-implementation)."""

    def __post_init__(self) -> None:
        if self.population % self.parts:
            raise ValueError(f"population: {self.population} members have no halves of equal size; add one")

    @property
    def parts(self) -> int:
        """Sub-populations."""
        return 2 if self.black_box == "both" else 1

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return self.population, self.population - self.parts


class Breeding:
    """Breeding of members, in one search."""

    def __init__(self, problem: Problem, params: Params, rng: np.random.Generator) -> None:
        if not isinstance(problem.space, Pixels) or len(problem.inputs) > 1:
            raise QuantriftError("diffchaser: it changes the pixels of one input; take space pixels and no batches")
        self._space, self._params, self._rng = problem.space, params, rng
        self._seed = problem.inputs.reshape(-1)
        self._near = self._space.around(self._seed, params.radius)
        # In every generation the best members come first, one of each half, then the children of each half.
        owner = np.repeat(np.arange(params.parts), params.population // params.parts - 1)
        self._owner = np.concatenate([np.arange(params.parts), owner])
        self._halves = [np.flatnonzero(self._owner == part) for part in range(params.parts)]

    def first(self) -> np.ndarray:
        """The seed input with uniform noise within the radius and the range of values, float32 (m, genes)."""
        noise = self._rng.random((self._params.population, len(self._seed)), np.float32)
        noise -= np.float32(0.5)
        noise *= 2 * np.float32(self._params.radius) * self._space.span
        noise += self._seed
        settled = self._space.settled(noise)
        return np.clip(settled, *self._near, out=settled)

    def judged(self, tell: Tell) -> np.ndarray:
        """Fitness of the latest members asked for, as the model of their half sees it; float64 (n,), -inf if invalid.

        Raises:
            QuantriftError: if the objective has no value for each model.
        """
        if tell.fitness.shape[1] < self._params.parts:
            raise QuantriftError(
                "diffchaser: its objective has one value, but each model needs its own; take k_uncertainty or "
                "targeted, or set black_box: original"
            )
        own = tell.fitness[np.arange(len(tell.fitness)), self._owner[-len(tell.fitness) :]]
        return np.where(tell.valid, own, -np.inf)

    def best(self, fitness: np.ndarray) -> np.ndarray:
        """Places of the best member of each half, the first where there are several: int (parts,)."""
        return np.array([half[fitness[half].argmax()] for half in self._halves])

    def next(self, members: np.ndarray, fitness: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The next generation, float32 (m, genes): the best members as they are, then the children."""
        # A new array every time, as receivers of a generation may keep it.
        bred = np.empty_like(members)
        bred[: len(best)] = members[best]
        children = bred[len(best) :]
        one, other = np.concatenate([self._winners(half, fitness) for half in self._halves]).T
        chosen = coins(children.shape, self._params.crossover, self._rng)
        for start in range(0, len(children), AT_ONCE):
            now = slice(start, start + AT_ONCE)
            children[now] = crossed(members[one[now]], members[other[now]], chosen[now])
        self._mutate(children)
        return bred

    def _winners(self, half: np.ndarray, fitness: np.ndarray) -> np.ndarray:
        """Places of both parents of each child of a half, int (children, 2); winners may be the same member."""
        drawn = half[self._rng.integers(len(half), size=(len(half) - 1, 2, self._params.tournament))]
        return np.take_along_axis(drawn, fitness[drawn].argmax(axis=2, keepdims=True), axis=2)[:, :, 0]

    def _mutate(self, children: np.ndarray) -> None:
        """Give some genes any value of the range; in ``paper`` the nearest of those within the radius."""
        chosen = rare(children.size, self._params.mutation, self._rng)
        genes = chosen % children.shape[1]
        values = self._space.values(genes, self._rng)
        if self._params.variant == "paper":
            # The other genes are those of parents, which keep to the radius.
            lower, upper = (bound[genes] for bound in self._near)
            np.clip(values, lower, upper, out=values)
        children.reshape(-1)[chosen] = values


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Breed until the budget is spent."""
    breeding = Breeding(problem, params, rng)
    first, later = params.sizes
    members = breeding.first()
    fitness = breeding.judged((yield Ask(members)))
    numbers = np.arange(first)
    for step in range(problem.steps(first, later) - 1):
        best = breeding.best(fitness)
        members = breeding.next(members, fitness, best)
        tell = yield Ask(members[len(best) :], survivors=numbers[best])
        fitness = np.concatenate([fitness[best], breeding.judged(tell)])
        numbers = np.concatenate([numbers[best], first + step * later + np.arange(later)])
