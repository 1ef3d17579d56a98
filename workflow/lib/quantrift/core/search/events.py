"""Events that an engine yields for each search: seed, step, finished."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.search.evaluator import Evaluated


@dataclass(frozen=True, eq=False)
class Seed:
    """Outputs of both networks on the B seed inputs of a search, which are not counted as candidates."""

    number: int
    """Place of the problem in the list the engine was given."""
    labels_original: np.ndarray
    """int64 (B,)."""
    labels_compressed: np.ndarray
    digests: np.ndarray
    """xxh3-64 of each input's bytes, uint64 (B,)."""
    fallback: np.ndarray
    """Whether a fallback of the constraint applies to them, bool (B,)."""


@dataclass(frozen=True, eq=False)
class Step:
    """One evaluated generation of one search."""

    number: int
    generation: int
    """Counted from 0."""
    candidates: np.ndarray
    """float32 (n, *space.shape)."""
    survivors: np.ndarray | None
    """See ``Ask``."""
    evaluated: Evaluated
    reached: np.ndarray
    """Whether each row reaches the goal of the search (``quantrift.core.search.goal``), bool (n * B,)."""
    seconds: np.ndarray
    """Charged seconds of each row, float64 (n * B,): its share of the batch and of its searcher's own computing."""


@dataclass(frozen=True, eq=False)
class Finished:
    """The end of one search."""

    number: int


Event = Seed | Step | Finished
