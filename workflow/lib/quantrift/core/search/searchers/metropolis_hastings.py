"""TriggerFinder (later DFlare): each step mutates the best input so far (Algorithm 1).

An input is better if the models' probabilities are further apart. Where these are about equal, an input is better if
it brings both models into a state not seen before. The authors' public tool differs from the paper; its rules are the
variant ``code``. Where a search goes on beyond its first disagreement, that one is an input like any other.

In a finite neighbourhood, which its operators would leave at once, the same rules choose among moves on the grid.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.image_operators import CHANNELS, OPERATORS, Operator
from quantrift.core.search.messages import Ask, Problem, Search, Tell
from quantrift.core.search.novelty import Seen
from quantrift.core.search.objectives import top1_distance
from quantrift.core.search.operator_choice import Ranking
from quantrift.core.search.spaces.neighbourhood import Members
from quantrift.core.search.spaces.pixels import Pixels

SPACES = ("pixels", "neighbourhood")
LEVELS = 256
"""Levels that the space must have, where it has some: the operators take images of 8 bits alone."""
PLATEAU = 8
"""Mutants in a row that were not kept, from which those to come are drawn in advance."""
AHEAD = 63
"""Most mutants that are drawn in advance."""


@dataclass(frozen=True)
class Params:
    """Settings of the search."""

    variant: Literal["paper", "code"] = "paper"
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

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return 1, 1


@dataclass(frozen=True, eq=False)
class Moves:
    """Mutations in one space."""

    operators: Sequence[Operator]
    start: np.ndarray
    """The seed input: levels of 8 bits, uint8 (H, W, C), or places on the axes of a grid, int64 (axes,)."""
    genes: Callable[[np.ndarray], np.ndarray]
    """From a mutant to the same as a candidate."""

    @staticmethod
    def of(problem: Problem) -> "Moves":
        """The mutations in the space of a search.

        Raises:
            QuantriftError: there are none, or it searches in batches.
        """
        space, shape = problem.space, problem.inputs.shape[1:]
        if len(problem.inputs) == 1:
            if isinstance(space, Pixels) and shape[-1] in CHANNELS:
                return Moves(OPERATORS, space.levels(problem.inputs[0]), space.of_levels)
            if isinstance(space, Members):
                return Moves(space.moves, space.home, lambda places: places)
        raise QuantriftError(
            "metropolis_hastings: mutates one image of 1, 3 or 4 channels; take space pixels, or neighbourhood, and no "
            "batches"
        )


@dataclass(frozen=True, eq=False)
class _Drawn:
    operator: int
    mutant: np.ndarray
    """As ``Moves.start``."""
    genes: np.ndarray
    """The same as a candidate, float32 (1, genes)."""
    state: Mapping[str, Any] | None
    """State of the random generator after it was drawn; None where no other was drawn with it."""


class Chain:
    """The best input so far, the states seen and the operators' successes, of one search."""

    def __init__(self, problem: Problem, params: Params, rng: np.random.Generator) -> None:
        self._moves = Moves.of(problem)
        if problem.seen is None:
            raise ValueError("metropolis_hastings: Problem.seen is missing; run the search by an engine, which sets it")
        self._params, self._rng = params, rng
        self._best = self._moves.start
        [(distance, *state)] = top1_distance.Top1Distance().score(problem.seen)
        self._columns = 1 + len(state)
        self._seen = Seen(params.threshold, np.array(state)) if params.states else None
        self._fitness = self._first(float(distance))
        self._ranking = Ranking(len(self._moves.operators), params.variant, rng)
        self._last: int | None = None
        self._drawn: deque[_Drawn] = deque()
        """The mutant that was asked for last, and those to come if none is kept."""
        self._rejected = 0

    def _first(self, distance: float) -> float:
        """Value that the first mutant is compared with."""
        if self._params.variant == "paper":
            return self._value(distance, new=self._params.states)
        # Without states the tool starts with -1 and compares absolute values.
        return 0.0 if self._params.states else 1.0

    def _value(self, distance: float, new: bool) -> float:
        """H of ``paper``, D of ``code``."""
        return distance / self._params.delta + new if self._params.variant == "paper" else distance

    def ask(self) -> Ask:
        """The next candidate; on a plateau, where mutants are not kept, also those that would follow."""
        if self._drawn:
            return Ask(self._drawn[0].genes)
        self._draw(1 + (min(self._rejected, AHEAD) if self._rejected >= PLATEAU else 0))
        mutant, *later = (one.genes for one in self._drawn)
        return Ask(mutant, expected=later)

    def _draw(self, count: int) -> None:
        """Draw so many mutants of the best input, as if none of those before them were kept."""
        for _ in range(count):
            last = self._drawn[-1].operator if self._drawn else self._last
            uniform = self._params.choice == "uniform"
            operator = self._ranking.uniform() if uniform else self._ranking.after(last)
            self._ranking.applied[operator] += 1
            mutant = self._moves.operators[operator](self._best, self._rng)
            genes = self._moves.genes(mutant).reshape(1, -1)
            # After a single mutant there is nothing to go back from.
            state = self._rng.bit_generator.state if count > 1 else None
            self._drawn.append(_Drawn(operator, mutant, genes, state))

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
            distance = float(tell.fitness[0, 0])
            new = self._seen is not None and len(self._seen.admit(tell.fitness[:, 1:])) > 0
            value = self._value(distance, new)
            kept, gained = self._compared(value, new)
            if kept:
                self._best, self._fitness = drawn.mutant, value
        if gained:
            self._ranking.gained[drawn.operator] += 1
        self._last = drawn.operator
        self._rejected = 0 if kept else self._rejected + 1
        if kept:
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
        better = new or abs(value - self._fitness) > self._params.delta
        if not self._params.states:
            better = value > self._fitness
        return better, better


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Mutate until the budget is spent."""
    chain = Chain(problem, params, rng)
    for _ in range(problem.steps(*params.sizes)):
        chain.judge((yield chain.ask()))
