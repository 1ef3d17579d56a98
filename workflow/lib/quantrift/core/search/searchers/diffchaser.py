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
    listing: bool = False
    """Breed as Algorithm 1 is listed (lines 10 to 15): all members that have the best fitness of their half stay, and
    children overwrite the others one by one, so that a child's parents may be children of the same generation. They
    win tournaments by the fitness that line 6 gave to their places."""

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
        halves = np.arange(params.parts)
        self._divide(np.concatenate([halves, np.repeat(halves, params.population // params.parts - 1)]))

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
        """Places of the members that stay, int (b,): the best of each half, of several the first or, as listed, all."""
        if self._params.listing:
            return np.concatenate([half[fitness[half] == fitness[half].max()] for half in self._halves])
        return np.array([half[fitness[half].argmax()] for half in self._halves])

    def next(self, members: np.ndarray, fitness: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The next generation, float32 (m, genes): the best members as they are, then the children."""
        if self._params.listing:
            return self._overwritten(members, fitness, best)
        # A new array every time, as receivers of a generation may keep it.
        bred = np.empty_like(members)
        bred[: len(best)] = members[best]
        children = bred[len(best) :]
        one, other = np.concatenate([self._winners(half, fitness, len(half) - 1) for half in self._halves]).T
        chosen = coins(children.shape, self._params.crossover, self._rng)
        for start in range(0, len(children), AT_ONCE):
            now = slice(start, start + AT_ONCE)
            children[now] = crossed(members[one[now]], members[other[now]], chosen[now])
        self._mutate(children)
        return bred

    def _overwritten(self, members: np.ndarray, fitness: np.ndarray, best: np.ndarray) -> np.ndarray:
        """What ``next`` says, where each child takes the place of a member as soon as it is made."""
        array = members.copy()
        places = np.setdiff1d(np.arange(len(array)), best)
        for place in places:
            [(one, other)] = self._winners(self._halves[self._owner[place]], fitness, 1)
            chosen = coins((1, array.shape[1]), self._params.crossover, self._rng)
            child = crossed(array[[one]], array[[other]], chosen)
            self._mutate(child)
            array[place] = child[0]
        order = np.concatenate([best, places])
        self._divide(self._owner[order])
        return array[order]

    def _winners(self, half: np.ndarray, fitness: np.ndarray, children: int) -> np.ndarray:
        """Places of both parents of each child of a half, int (children, 2); winners may be the same member."""
        drawn = half[self._rng.integers(len(half), size=(children, 2, self._params.tournament))]
        return np.take_along_axis(drawn, fitness[drawn].argmax(axis=2, keepdims=True), axis=2)[:, :, 0]

    def _divide(self, owner: np.ndarray) -> None:
        """Set the half of each member, int (m,)."""
        self._owner = owner
        self._halves = [np.flatnonzero(owner == half) for half in range(self._params.parts)]

    def _mutate(self, children: np.ndarray) -> None:
        """Give some genes any value of the range; in ``paper`` the nearest of those within the radius."""
        chosen = rare(children.size, self._params.mutation, self._rng)
        genes = chosen % children.shape[1]
        values = self._space.values(genes, self._rng)
        if self._params.variant == "paper":
            # The other genes are those of parents, which keep to the radius.
            np.clip(values, *(bound[genes] for bound in self._near), out=values)
        children.reshape(-1)[chosen] = values


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Breed until the budget is spent, or until all members are the best."""
    breeding = Breeding(problem, params, rng)
    first, later = params.sizes
    members = breeding.first()
    fitness = breeding.judged((yield Ask(members)))
    numbers, evaluated = np.arange(first), first
    for _ in range(problem.steps(first, later) - 1):
        best = breeding.best(fitness)
        if len(best) == len(members):
            return
        members = breeding.next(members, fitness, best)
        tell = yield Ask(members[len(best) :], survivors=numbers[best])
        fitness = np.concatenate([fitness[best], breeding.judged(tell)])
        asked = len(members) - len(best)
        numbers = np.concatenate([numbers[best], evaluated + np.arange(asked)])
        evaluated += asked


def coins(shape: tuple[int, ...], probability: float, rng: np.random.Generator) -> np.ndarray:
    """Whether each place is chosen, independently with a probability: bool of ``shape``.

    A probability of one half takes one random bit a place; others are met to within 2^-24.
    """
    if probability != 0.5:
        return rng.random(shape, np.float32) < np.float32(probability)
    count = int(np.prod(shape))
    return np.unpackbits(np.frombuffer(rng.bytes(-(-count // 8)), np.uint8), count=count).view(bool).reshape(shape)


def crossed(first: np.ndarray, second: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The values of ``first``, or of ``second`` where chosen: float32 like both, which are overwritten.

    Computed on bits, as processors mispredict random branches: four times as fast as ``np.where``, and as exact.
    """
    own, other = first.view(np.int32), second.view(np.int32)
    # All bits where chosen, none elsewhere.
    mask = np.negative(chosen.view(np.int8), dtype=np.int32)
    other ^= own
    other &= mask
    own ^= other
    return first


def rare(count: int, probability: float, rng: np.random.Generator) -> np.ndarray:
    """The chosen ones among ``count`` places, each independently with a probability: sorted, int64 (k,).

    Draws the gaps between them, so that the cost grows with the number of chosen places alone.
    """
    if probability == 0:
        return np.empty(0, np.int64)
    at_once = int(count * probability + 6 * np.sqrt(count * probability)) + 1
    places = np.full(1, -1)
    while places[-1] < count:
        gaps = np.minimum(rng.geometric(probability, at_once), count + 1)
        places = np.concatenate([places, places[-1] + np.cumsum(gaps)])
    return places[1 : np.searchsorted(places, count)]
