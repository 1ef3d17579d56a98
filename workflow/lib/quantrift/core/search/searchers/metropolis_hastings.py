"""TriggerFinder (later DFlare): each step mutates the best input so far (Algorithm 1).

An input is better if the models' probabilities are further apart. Where these are about equal, an input is better if
it brings both models into a state not seen before. The authors' public tool differs from the paper; its rules are the
variant ``code``. Where a search goes on beyond its first disagreement, that one is an input like any other.

In a finite neighbourhood, which its operators would leave at once, the same rules choose among moves on the grid.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.image_operators import CHANNELS, OPERATORS, Operator
from quantrift.core.search.messages import Ask, Problem, Search, Tell
from quantrift.core.search.novelty import Seen
from quantrift.core.search.objectives import top1_distance
from quantrift.core.search.spaces.neighbourhood import Members
from quantrift.core.search.spaces.pixels import Pixels

SPACES = ("pixels", "neighbourhood")
LEVELS = 256
"""Levels that the space must have, where it has some: the operators take images of 8 bits alone."""
AHEAD = 63
"""Most mutants that are drawn in advance."""
Variant = Literal["paper", "code"]
NOT_FOUND = -1
"""Rank that the authors' tool gives every last operator."""


@dataclass(frozen=True)
class Params:
    """Settings of the search."""

    variant: Variant = "paper"
    """``paper``: H = D / delta + O, where O is 1 for a new state, and 1 for the seed input; a mutant is kept where H is
    not less than that of the best one, and counts as a gain where it is more; the next operator follows the one applied
    last. ``code``: a mutant is kept, and is a gain, where D differs from that of the one kept last by more than delta,
    whether it is larger or smaller, or else where its state is new; the search starts with D = 0 whatever the seed
    input's is; the next operator depends on the ranking alone; operators of equal score change places."""
    delta: Annotated[float, Gt(0)] = 1e-3
    """Difference of D that counts less than a new state (Definition of Fitness Function)."""
    threshold: Annotated[float, Ge(0)] = 0.5
    """A state is new if the square of its distance to all new ones before is larger (DFlare code)."""
    states: bool = True
    """False: D alone decides, and a mutant is kept where it is not less (``paper``) or larger (``code``): TF_D of the
    ablation. In ``code`` the search then starts with D = 1, which no mutant exceeds: all are mutants of the seed input.
    """
    choice: Literal["metropolis", "uniform"] = "metropolis"
    """``uniform``: any operator is as likely as any other; TF_R of the ablation."""

    sizes = 1, 1
    """Candidates of the first generation and of each that follows; no setting."""


def moves(problem: Problem) -> tuple[Sequence[Operator], np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Mutations in the space of a search, the seed input, and the function from a mutant to the same as a candidate.

    A mutant is levels of 8 bits, uint8 (H, W, C), or places on the axes of a grid, int64 (axes,).

    Raises:
        QuantriftError: there are none, or it searches in batches.
    """
    space, shape = problem.space, problem.inputs.shape[1:]
    if len(problem.inputs) == 1:
        if isinstance(space, Pixels) and shape[-1] in CHANNELS:
            return OPERATORS, space.levels(problem.inputs[0]), space.of_levels
        if isinstance(space, Members):
            return space.moves, space.neighbourhood.home, lambda places: places
    raise QuantriftError(
        "metropolis_hastings: mutates one image of 1, 3 or 4 channels; take space pixels, or neighbourhood, and no "
        "batches"
    )


class Ranking:
    """Operators by number, with counts of applications and gains of each, in one search.

    The next operator is chosen by Metropolis-Hastings over success ranks (TriggerFinder, Algorithm 2). The algorithm
    draws operators until one is accepted, with a probability of min(1, (1 - p)^(k - k')), where k is the rank of the
    one drawn, from 0, and k' that of the last one. Here one draw chooses among all with these weights, which is the
    same. The authors' public tool never finds the last operator in its ranking, as it looks for a name among objects.
    It takes k' = -1 instead, so its choice depends on the ranking alone (variant ``code``).
    """

    def __init__(self, count: int, variant: Variant, rng: np.random.Generator) -> None:
        self._variant, self._rng = variant, rng
        self.applied = [0] * count
        """Applications of each operator, the paper's N_op."""
        self.gained = [0] * count
        """Gains of each operator, the paper's N_i."""
        self._thresholds = {rank: thresholds(rank, count) for rank in range(NOT_FOUND, count)}

    def uniform(self) -> int:
        """Any operator."""
        return int(self._rng.integers(len(self.applied)))

    def after(self, last: int | None) -> int:
        """The next operator; those that rank high are likelier.

        In ``paper`` it follows ``last``, and without one any is as likely. In ``code`` the last one does not matter.
        """
        if self._variant == "paper" and last is None:
            return self.uniform()
        order = self._order()
        rank = NOT_FOUND if self._variant == "code" or last is None else order.index(last)
        return order[bisect_right(self._thresholds[rank], self._rng.random())]

    def _order(self) -> list[int]:
        """Operators with the greatest score first.

        Where scores are equal, they stand in an order drawn anew (``code``), or that of their numbers (chosen).
        """
        counts, paper = zip(self.gained, self.applied, strict=True), self._variant == "paper"
        scores = [gained / (max(1, applied) if paper else applied + 1e-7) for gained, applied in counts]
        operators = range(len(scores)) if paper else self._rng.permutation(len(scores)).tolist()
        return sorted(operators, key=scores.__getitem__, reverse=True)


def thresholds(rank: int, count: int) -> list[float]:
    """Cumulative probabilities of the ranks after ``rank``, against which a number from [0, 1) is compared."""
    weights = [min(1.0, (1 - 1 / count) ** (other - rank)) for other in range(count)]
    total = sum(weights)
    return [*(part / total for part in accumulate(weights[:-1])), 1.0]


@dataclass(frozen=True, eq=False)
class _Drawn:
    operator: int
    mutant: np.ndarray
    """See ``moves``."""
    genes: np.ndarray
    """The same as a candidate, float32 (1, genes)."""
    state: Mapping[str, Any] | None
    """State of the random generator after it was drawn; None where no other was drawn with it."""


class Chain:
    """The best input so far, the states seen and the operators' successes, of one search."""

    def __init__(self, problem: Problem, params: Params, rng: np.random.Generator) -> None:
        self._operators, self._best, self._genes = moves(problem)
        if problem.seen is None:
            raise ValueError("metropolis_hastings: Problem.seen is missing; run the search by an engine, which sets it")
        self._params, self._rng = params, rng
        [(distance, *state)] = top1_distance.Params().score(problem.seen)
        self._columns = 1 + len(state)
        self._seen = Seen(params.threshold, np.array(state)) if params.states else None
        # Without states the tool starts with -1 and compares absolute values.
        self._fitness = 0.0 if params.states else 1.0
        if params.variant == "paper":
            self._fitness = self._value(float(distance), new=params.states)
        self._ranking = Ranking(len(self._operators), params.variant, rng)
        self._last: int | None = None
        self._drawn: deque[_Drawn] = deque()
        """The mutant that was asked for last, and those to come if none is kept."""
        self._rejected = 0

    def _value(self, distance: float, new: bool) -> float:
        """H of ``paper``, D of ``code``."""
        return distance / self._params.delta + new if self._params.variant == "paper" else distance

    def ask(self) -> Ask:
        """The next candidate; on a plateau, after eight mutants that were not kept, also those that would follow."""
        if self._drawn:
            return Ask(self._drawn[0].genes)
        self._draw(1 + (min(self._rejected, AHEAD) if self._rejected >= 8 else 0))
        mutant, *later = (one.genes for one in self._drawn)
        return Ask(mutant, expected=later)

    def _draw(self, count: int) -> None:
        """Draw so many mutants of the best input, as if none of those before them were kept."""
        for _ in range(count):
            last = self._drawn[-1].operator if self._drawn else self._last
            operator = self._ranking.uniform() if self._params.choice == "uniform" else self._ranking.after(last)
            self._ranking.applied[operator] += 1
            mutant = self._operators[operator](self._best, self._rng)
            genes = self._genes(mutant).reshape(1, -1)
            # After a single mutant there is nothing to go back from.
            self._drawn.append(_Drawn(operator, mutant, genes, self._rng.bit_generator.state if count > 1 else None))

    def judge(self, tell: Tell) -> None:
        """Keep the mutant or the best input so far; an invalid mutant is never kept.

        Raises:
            QuantriftError: if the objective is another one.
        """
        if tell.fitness.shape[1] != self._columns:
            raise QuantriftError("metropolis_hastings: its objective gives no states; take top1_distance")
        drawn = self._drawn.popleft()
        kept = gained = False
        if tell.valid[0]:
            new = self._seen is not None and len(self._seen.admit(tell.fitness[:, 1:])) > 0
            value = self._value(float(tell.fitness[0, 0]), new)
            kept, gained = self._compared(value, new)
        self._ranking.gained[drawn.operator] += gained
        self._last = drawn.operator
        self._rejected = 0 if kept else self._rejected + 1
        if kept:
            self._best, self._fitness = drawn.mutant, value
            self._forget(drawn)

    def _forget(self, drawn: "_Drawn") -> None:
        """Go back to where ``drawn`` was the last mutant, as those after it would be of another best input."""
        if drawn.state is not None:
            self._rng.bit_generator.state = drawn.state
        for one in self._drawn:
            self._ranking.applied[one.operator] -= 1
        self._drawn.clear()

    def _compared(self, value: float, new: bool) -> tuple[bool, bool]:
        """Whether a mutant of this value is kept, and whether that is a gain."""
        if self._params.variant == "paper":
            return value >= self._fitness, value > self._fitness
        far = abs(value - self._fitness) > self._params.delta
        better = (new or far) if self._params.states else value > self._fitness
        return better, better


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Mutate until the budget is spent."""
    chain = Chain(problem, params, rng)
    for _ in range(problem.steps(*params.sizes)):
        chain.judge((yield chain.ask()))
