"""Recall of search tools against exhaustive truth: what they find of all disagreements of finite neighbourhoods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_columns import Arrays, joined, places
from quantrift.core.statistics import intervals
from quantrift.core.statistics.intervals import INPUT, Share
from quantrift.core.statistics.invariants import read_searches


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
        return Disagreements(*(one[self.evaluation < queries] for one in vars(self).values()))

    def inputs(self, seeds: int) -> np.ndarray:
        """Distinct disagreeing inputs of each of so many seed inputs, int64 (seeds,)."""
        return np.bincount(_distinct(self)[:, 0].astype(np.int64), minlength=seeds)

    def found_after(self) -> np.ndarray:
        """Queries of its search after which each distinct disagreeing input was first found, ascending, int64 (k,)."""
        order = np.argsort(self.evaluation, kind="stable")
        pairs = np.stack([self.seed[order].astype(np.uint64), self.digest[order]], axis=1)
        return np.sort(self.evaluation[order][np.unique(pairs, axis=0, return_index=True)[1]] + 1)


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


EXHAUSTIVE, SPACE = "exhaustive", "neighbourhood"
"""Names of the searcher that gives the truth, and of the space of all tools."""
KEYS = ["run_seed", "input"]


@dataclass(frozen=True, eq=False)
class Enumerated:
    """One neighbourhood of the seed inputs of one subject: the enumeration, and the other tools' findings."""

    subject: tuple[str, ...]
    """Dataset, network, compression."""
    neighbourhood: str
    """Changes whose combinations are enumerated, as its tools state them."""
    truth: Arrays
    """Counts of the enumeration, a row a seed input."""
    known: Disagreements
    """All disagreements that there are."""
    found: Mapping[str, Disagreements]
    """Tool -> those that it found; its seeds are rows of ``truth``."""
    queries: Mapping[str, int]
    """Tool -> evaluations of its longest search."""


def read_enumerated(
    counted: Mapping[tuple[str, ...], Sequence[Path]],
    records: Mapping[tuple[str, ...], Sequence[Path]],
    tools: Mapping[str, Mapping[str, Any]],
) -> Iterator[Enumerated]:
    """Each neighbourhood of each subject, in the order of the searches.

    Args:
        counted: (dataset, network, compression, tool) -> tables of searches, one for each block of seed inputs.
        records: the same -> tables of candidates.
        tools: tool -> its settings.

    Raises:
        QuantriftError: tools started from different inputs, or counts of a file contradict themselves.
    """
    of: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    for search in counted:
        *subject, tool, _ = search
        text = str(tools[tool]["space"]["params"]["of"])
        of.setdefault((*subject, text), {})[tool] = search
    for (*subject, text), own in of.items():
        [exhaustive] = (one for one in own if tools[one]["searcher"]["name"] == EXHAUSTIVE)
        searches = {tool: read_searches(counted[search], KEYS) for tool, search in own.items()}
        truth = searches.pop(exhaustive)
        for tool, one in searches.items():
            if not all(np.array_equal(one[name], truth[name]) for name in KEYS):
                raise QuantriftError(
                    f"{'/'.join((*subject, text))}: {tool} and {exhaustive} started from different inputs; search them "
                    "under one protocol"
                )
        yield Enumerated(
            tuple(subject),
            text,
            truth,
            _disagreements(records[own[exhaustive]], truth),
            {tool: _disagreements(records[own[tool]], truth) for tool in searches},
            {tool: int(searches[tool]["generated"].max()) for tool in searches},
        )


def _disagreements(blocks: Sequence[Path], searches: Arrays) -> Disagreements:
    """The disagreements in candidates tables; their seeds are rows of the searches of the same seed inputs."""
    columns = [*KEYS, "evaluation", "digest", "label_original", "label_compressed"]
    table = joined([table_files.read(file, columns) for file in blocks])
    differ = table["label_original"] != table["label_compressed"]
    seed = places([table[name][differ] for name in KEYS], [searches[name] for name in KEYS])
    return Disagreements(seed, table["evaluation"][differ], table["digest"][differ])
