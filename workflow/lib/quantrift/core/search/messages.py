"""Messages between a searcher and the engine: ask and tell."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.space import Space


@dataclass(frozen=True, eq=False)
class Problem:
    """One search: find inputs near its seed inputs on which the two models disagree.

    There is one seed input (B = 1), unless the protocol searches in batches (DiverGet §4.4.2): then every candidate
    is applied to all B of them.
    """

    dataset: str
    """Id of the dataset."""
    run_seed: int
    """Number of the repetition."""
    indices: tuple[int, ...]
    """Numbers of the B seed inputs in their dataset."""
    inputs: np.ndarray
    """The seed inputs, float32 (B, H, W, C)."""
    true_labels: tuple[int, ...]
    """Their B labels."""
    space: Space
    generations: int
    """Evaluated generations, the initial one included."""
    evaluations: int | None = None
    """Largest number of candidates; where given, it bounds the search in place of ``generations``."""
    target: int | None = None
    """Target class of a targeted search, which one of the models should give; then there is one seed input."""
    seen: Outputs | None = None
    """Outputs of both models on the seed inputs, set by the engine before a search starts; not counted as queries."""

    def steps(self, first: int, later: int) -> int:
        """Generations within the budget, of ``first`` candidates at the start and ``later`` in each that follows.

        At least one. A tool whose first generation is larger than the budget is refused when the configuration is
        checked (``quantrift.study.planning.checks``).
        """
        return self.generations if self.evaluations is None else 1 + max(0, self.evaluations - first) // later


@dataclass(frozen=True, eq=False)
class Ask:
    """Candidates that a search asks to have evaluated; their number may change from step to step."""

    candidates: np.ndarray
    """(n, *space.shape); taken as float32."""
    survivors: np.ndarray | None = None
    """Members of the population that live on without being evaluated again, by the numbers of their evaluations in
    this search, counted from 0 over all candidates asked for; int (s,). A published divergence rate counts them once
    more in every generation. None where every member is evaluated in every generation."""
    weights: tuple[np.ndarray, np.ndarray] | None = None
    """Weights of the neurons of the original's twin, (n, M), and of the compressed model's, (n, M'), in the sum whose
    gradient is asked for; the last neurons are the logits. For searchers with ``GRADIENTS = True``."""
    expected: Sequence[np.ndarray] = ()
    """Candidates of the next asks, (1, *space.shape) each, if the answers change nothing. The engine may evaluate them
    where a batch has room, and answer at once when a search asks for the same array. One that is never asked for does
    not count, so which of them are evaluated changes no result."""


@dataclass(frozen=True, eq=False)
class Tell:
    """The engine's answer to an ask of n candidates, in the order asked.

    Of a problem with B seed inputs, arrays that say (n * B) have B rows for each candidate, in the order of the seed
    inputs; a candidate's fitness is then the mean over its rows.
    """

    inputs: np.ndarray
    """Decoded inputs, float32 (n * B, H, W, C)."""
    valid: np.ndarray
    """Whether the constraint holds, bool (n,); all are, where the constraint does not guide searches."""
    violation: np.ndarray
    """Violation of the constraint, float64 (n,), 0 where valid, in the constraint's unit (dB for PSNR)."""
    out_original: np.ndarray
    """Logits of the original, float32 (n * B, K); NaN where not valid, as only valid inputs are run."""
    out_compressed: np.ndarray
    """Logits of the compressed model, likewise."""
    labels_original: np.ndarray
    """Predicted labels, int64 (n * B,); -1 where the constraint does not hold. Ties go to the lowest label."""
    labels_compressed: np.ndarray
    disagree: np.ndarray
    """The constraint holds and labels differ, bool (n * B,)."""
    fitness: np.ndarray
    """Fitness by the objective, float64 (n, m); NaN where not valid."""
    gradient: np.ndarray | None = None
    """Gradient of the weighted sum of the twins' neurons (``Ask.weights``), for each value of an input, float32
    (n * B, H * W * C), also where not valid. None where no gradient was asked for."""
    neurons: tuple[np.ndarray, np.ndarray] | None = None
    """Neurons of both twins, scaled between the lowest and the highest value of their layer, float32
    (n * B, M) and (n * B, M'), 0 to 1, also where not valid. None for searchers that follow no gradients."""


@dataclass(frozen=True)
class Verdict:
    """The evaluation of one candidate, as search libraries receive it."""

    fitness: float
    """Larger is better; NaN where not valid."""
    valid: bool
    """Whether the constraint holds."""
    violation: float
    """Violation of the constraint, 0 where valid, in the constraint's unit (dB for PSNR)."""


Evaluate = Callable[[np.ndarray], Verdict]
"""Evaluates one candidate (genes,); may raise to end a search."""

Search = Generator[Ask, Tell, None]
"""A running search. The engine may end it after any step (first attack, patience), so its return value is not used."""


class Searcher(Protocol):
    """A module of ``quantrift.core.search.searchers``."""

    def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
        """Start one search; it draws from ``rng`` alone and keeps its state to itself."""
        ...
