"""What a search and the engine say to each other."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quantrift.search.space import Space


@dataclass(frozen=True, eq=False)
class Problem:
    """One search: find inputs near one seed input on which the two models disagree."""

    dataset: str
    """Id of the dataset."""
    run_seed: int
    """Number of the repetition."""
    index: int
    """Number of the seed input in its dataset."""
    input: np.ndarray
    """The seed input, float32 (H, W, C)."""
    true_label: int
    space: Space
    generations: int
    """Evaluated generations, the initial one included."""


@dataclass(frozen=True, eq=False)
class Ask:
    """Candidates a search wants evaluated; their number may change from step to step."""

    candidates: np.ndarray
    """(n, *space.shape); taken as float32."""


@dataclass(frozen=True, eq=False)
class Tell:
    """The engine's answer to an ask of n candidates; rows stand in the order asked."""

    inputs: np.ndarray
    """Decoded inputs, float32 (n, H, W, C)."""
    valid: np.ndarray
    """Whether the constraint holds, bool (n,)."""
    violation: np.ndarray
    """By how much it does not, float64 (n,), 0 where valid; the unit is the constraint's (dB for PSNR)."""
    out_original: np.ndarray
    """Logits of the original, float32 (n, K); NaN where not valid, as only valid inputs are run."""
    out_compressed: np.ndarray
    """Logits of the compressed model, likewise."""
    labels_original: np.ndarray
    """Predicted labels, int64 (n,); -1 where not valid. Ties go to the lowest label."""
    labels_compressed: np.ndarray
    disagree: np.ndarray
    """Valid and labels differ, bool (n,)."""
    fitness: np.ndarray
    """float64 (n, m), larger is better; NaN where not valid."""


@dataclass(frozen=True, eq=False)
class Result:
    """What a search returns beside the candidates it asked for.

    A searcher whose population outlives a generation without being evaluated again (elitist genetic algorithms)
    counts memberships itself, since a published divergence rate counts survivors once a generation.
    """

    memberships: int | None = None
    """Population size times generations; None where every member is evaluated in every generation."""
    dii_memberships: int | None = None
    """Memberships held by difference-inducing inputs; None likewise."""


Search = Generator[Ask, Tell, Result]


class Searcher(Protocol):
    """A module of ``quantrift.search.searchers``."""

    def search(self, problem: Problem, params: object, rng: np.random.Generator) -> Search:
        """Start one search; it draws from ``rng`` alone and keeps its state to itself."""
        ...
