"""Recall of search tools against exhaustive truth: what they find of all disagreements of finite neighbourhoods."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics import intervals
from quantrift.core.statistics.intervals import INPUT, Share


@dataclass(frozen=True, eq=False)
class Disagreements:
    """Evaluations on which the two networks disagree, of the searches of one tool from some seed inputs."""

    seed: np.ndarray
    """Place of the seed input among all of them, int64 (n,)."""
    evaluation: np.ndarray
    """Number of the evaluation in its search, from 0, int64 (n,)."""
    digest: np.ndarray
    """Digest of the evaluated input, uint64 (n,): equal ones are one input."""

    def within(self, queries: int) -> "Disagreements":
        """Those among the first so many evaluations of each search."""
        kept = self.evaluation < queries
        return Disagreements(self.seed[kept], self.evaluation[kept], self.digest[kept])

    def inputs(self, seeds: int) -> np.ndarray:
        """Distinct disagreeing inputs of each of so many seed inputs, int64 (seeds,)."""
        return np.bincount(_distinct(self)[:, 0].astype(np.int64), minlength=seeds)

    def found_after(self) -> np.ndarray:
        """Queries of its search after which each distinct disagreeing input was first found, ascending, int64 (k,)."""
        order = np.argsort(self.evaluation, kind="stable")
        pairs = np.stack([self.seed[order].astype(np.uint64), self.digest[order]], axis=1)
        first = np.unique(pairs, axis=0, return_index=True)[1]
        return np.sort(self.evaluation[order][first] + 1)


@dataclass(frozen=True)
class Recall:
    """Findings of one tool within so many queries."""

    success: Share
    """Seed inputs with a disagreement that was found, among all."""
    seeds: Share
    """The same among those that have a disagreement in truth."""
    inputs: Share
    """Distinct disagreeing inputs that were found, among all that there are."""
    n_seeds: int
    """Seed inputs with a disagreement that was found."""
    n_inputs: int
    """Distinct disagreeing inputs that were found."""


def recall(truth: Disagreements, found: Disagreements, clusters: np.ndarray, queries: int, unit: str = INPUT) -> Recall:
    """Recall of a tool within its first ``queries`` evaluations of each search.

    Intervals are 95 %: Wilson's for shares of seed inputs, a bootstrap over them for the share of inputs.

    Args:
        truth: of the exhaustive enumeration, all of it.
        found: of the tool, in the same neighbourhoods of the same seed inputs.
        clusters: (seeds,), equal for seed inputs that are no independent cases.
        queries: at least 1.
        unit: of a cluster.

    Raises:
        QuantriftError: the tool found a disagreement that the enumeration lacks.
    """
    both = Disagreements(*(np.concatenate([getattr(one, name) for one in (truth, found)]) for name in vars(truth)))
    if len(_distinct(both)) > len(_distinct(truth)):
        raise QuantriftError(
            "a tool found a disagreement that the enumeration does not have, so they searched other neighbourhoods, or "
            "other networks; take searches of one neighbourhood under one protocol"
        )
    there, seen = truth.inputs(len(clusters)), found.within(queries).inputs(len(clusters))
    holding = there > 0
    return Recall(
        success=intervals.of_inputs(clusters, seen > 0, unit),
        seeds=intervals.of_inputs(clusters[holding], seen[holding] > 0, unit),
        inputs=intervals.pooled(clusters, seen, there, unit),
        n_seeds=int(np.count_nonzero(seen)),
        n_inputs=int(seen.sum()),
    )


def certified(truth: Disagreements, clusters: np.ndarray, unit: str = INPUT) -> Share:
    """Share of the seed inputs without any disagreement in truth, with Wilson's interval."""
    return intervals.of_inputs(clusters, truth.inputs(len(clusters)) == 0, unit)


def _distinct(found: Disagreements) -> np.ndarray:
    """(seed, digest) pairs, each once: uint64 (k, 2)."""
    return np.unique(np.stack([found.seed.astype(np.uint64), found.digest], axis=1), axis=0)
