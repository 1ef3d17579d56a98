"""Records of searches, gathered while they run: constant memory, and one order of rows."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.files import replacing
from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import Arrays, joined
from quantrift.core.search.engine import Seed, Step
from quantrift.core.search.messages import Problem
from quantrift.core.search.record_columns import CANDIDATES, SEARCHES, searches_path

TOGETHER = 256
"""Generations whose columns are put together: by themselves, arrays of single candidates take many times their size."""
SEARCHES_TOGETHER = 1000
"""Searches whose rows are put together in memory: as dictionaries they take many times their size."""


@dataclass(eq=False)
class SearchRecord:
    """Counts of a search, its valid candidates, and vectors of some candidates that reach the goal."""

    problem: Problem
    member: int
    """Position among the problem's seed inputs, 0 unless it is a batch."""
    tool: str
    seed: Seed
    keep: int | None
    """Vectors kept, drawn evenly from all candidates that reach the goal; None keeps all."""
    cluster: int
    """Cluster of the seed input (``Inputs.clusters``)."""
    keep_first: bool = False
    """Keep the first ones instead of an even draw."""
    found_alone: bool = False
    """Keep rows of the candidates alone on which the models differ; counts are of all."""
    counts: Counter[str] = field(default_factory=Counter)
    """Counts so far, by their columns of the searches table."""
    seconds: float = 0.0
    digests: set[int] = field(default_factory=set)
    reached_digests: set[int] = field(default_factory=set)
    dii: dict[int, int] = field(default_factory=dict)
    """Evaluation number of each difference-inducing input -> its digest."""
    was_valid: bytearray = field(default_factory=bytearray)
    """1 for each valid evaluation, else 0; a survivor's validity is known by its number alone."""
    columns: list[dict[str, np.ndarray]] = field(default_factory=list)
    """Columns of the candidates table, of generations that are put together."""
    latest: list[dict[str, np.ndarray]] = field(default_factory=list)
    """Columns of the generations after these."""
    vectors: dict[int, np.ndarray] = field(default_factory=dict)
    """Evaluation number -> vector."""
    slots: list[int] = field(default_factory=list)
    """Evaluation numbers of the kept vectors, as reservoir sampling arranges them."""

    def __post_init__(self) -> None:
        index = self.problem.indices[self.member]
        target = [] if self.problem.target is None else [self.problem.target]
        self._rng = stream("records", self.problem.run_seed, self.tool, self.problem.dataset, index, *target)

    def add(self, step: Step) -> None:
        """Take in one generation."""
        done, valid, survivors = step.evaluated, step.evaluated.valid, step.survivors
        own = slice(self.member, None, len(self.problem.indices))
        disagree, digests, seconds = done.tell.disagree[own], done.digests[own], step.seconds[own]
        reached, first, holding = step.reached[own], self.counts["generated"], int(np.count_nonzero(valid))
        self.digests.update(digests.tolist())
        self.seconds += float(seconds.sum())
        self.was_valid += valid.astype(np.uint8).tobytes()
        self.counts.update(
            generations=1, generated=len(valid), memberships=len(valid), valid=holding, valid_memberships=holding
        )
        if disagree.any():
            self._found(step, first, disagree, reached, digests)
        if survivors is not None:
            self.counts.update(
                memberships=len(survivors),
                valid_memberships=sum(map(self.was_valid.__getitem__, survivors.tolist())),
                dii_memberships=sum(number in self.dii for number in survivors.tolist()),
            )
        kept = disagree if self.found_alone else valid
        # A search of single candidates has very many generations; most have nothing to keep.
        if (self.columns or self.latest) and not kept.any():
            return
        if len(self.latest) == TOGETHER:
            self.columns.append(joined(self.latest))
            self.latest = []
        self.latest.append(
            {
                "evaluation": np.arange(first, first + len(valid))[kept],
                "generation": np.full(int(kept.sum()), step.generation),
                "label_original": done.tell.labels_original[own][kept],
                "label_compressed": done.tell.labels_compressed[own][kept],
                "reached": reached[kept],
                "fitness": done.scores[own][kept, 0],
                "psnr": done.psnr[own][kept],
                "identity": digests[kept] == self.seed.digests[self.member],
                "active": done.active[kept],
                "digest": digests[kept],
                "seconds": seconds[kept],
            }
        )

    def _found(self, step: Step, first: int, disagree: np.ndarray, reached: np.ndarray, digests: np.ndarray) -> None:
        """Count the candidates of a generation on which the models differ, and those that reach the goal among them.

        Args:
            step: the generation.
            first: evaluation number of its first candidate.
            disagree: bool (n,), of this input.
            reached: likewise.
            digests: uint64 (n,), likewise.
        """
        self.dii |= {first + place: int(digests[place]) for place in np.flatnonzero(disagree).tolist()}
        for place in np.flatnonzero(reached).tolist():
            self.counts["reached"] += 1
            self._keep(first + place, step.candidates[place])
        self.reached_digests.update(digests[reached].tolist())
        self.counts["dii_memberships"] += int(disagree.sum())
        for name, found in (("first_dii", True), ("first_reached", self.counts["reached"] > 0)):
            if found and not self.counts[name]:
                self.counts[name] = self.counts["generated"]

    def _keep(self, evaluation: int, vector: np.ndarray) -> None:
        """Reservoir sampling: whatever the number of candidates that reach the goal, each is kept equally likely."""
        if self.keep is None or len(self.slots) < self.keep:
            self.slots.append(evaluation)
            self.vectors[evaluation] = vector.copy()
        elif not self.keep_first and (slot := int(self._rng.integers(self.counts["reached"]))) < self.keep:
            del self.vectors[self.slots[slot]]
            self.slots[slot] = evaluation
            self.vectors[evaluation] = vector.copy()

    def candidate_columns(self) -> dict[str, Any]:
        """Columns of the candidates table."""
        found: dict[str, Any] = joined([*self.columns, *self.latest])
        numbers = found["evaluation"].tolist()
        found |= {name: np.full(len(numbers), value) for name, value in self._keys().items()}
        return found | {"vector": list(map(self.vectors.get, numbers))}

    def search_row(self) -> dict[str, Any]:
        """The row of the searches table."""
        own = {
            "cluster": self.cluster,
            "constraint_fallback": bool(self.seed.fallback[self.member]),
            "distinct": len(self.digests),
            "dii": len(self.dii),
            "dii_distinct": len(set(self.dii.values())),
            "reached_distinct": len(self.reached_digests),
            "seconds": self.seconds,
        }
        return {name: self.counts[name] for name in SEARCHES} | self._keys() | own

    def _keys(self) -> dict[str, Any]:
        seed, member = self.seed, self.member
        return {
            "run_seed": self.problem.run_seed,
            "input": self.problem.indices[member],
            "target": -1 if self.problem.target is None else self.problem.target,
            "true_label": self.problem.true_labels[member],
            "seed_disagrees": bool(seed.labels_original[member] != seed.labels_compressed[member]),
        }


class Writer:
    """Takes searches in the order in which they end, which depends on memory and batch settings, and orders them."""

    def __init__(self, candidates: table_files.Stream) -> None:
        self._candidates = candidates
        self._finished: dict[int, Sequence[SearchRecord]] = {}
        self._next = 0
        self._searches: list[Arrays] = []
        self._rows: list[dict[str, Any]] = []
        """Rows of the searches table that are not in ``_searches`` yet."""

    def add(self, number: int, records: Sequence[SearchRecord]) -> None:
        """Hand over a finished search, a record for each of its inputs; written as soon as all before it have been."""
        self._finished[number] = records
        while self._next in self._finished:
            own = self._finished.pop(self._next)
            self._rows += [record.search_row() for record in own]
            self._candidates.add([record.candidate_columns() for record in own])
            self._next += 1
            if len(self._rows) >= SEARCHES_TOGETHER:
                self._searches, self._rows = [self.searches()], []

    def searches(self) -> Arrays:
        """Columns of the searches table so far."""
        rows = {name: np.array([row[name] for row in self._rows], one) for name, one in SEARCHES.items()}
        return joined([*self._searches, rows])


@contextmanager
def writing(path: Path, settings: Mapping[str, Any]) -> Iterator[Writer]:
    """Write the two tables of a block; both appear only when everything was written."""
    stated = json.dumps(settings, sort_keys=True)
    with (
        replacing(searches_path(path)) as searches,
        replacing(path) as file,
        table_files.stream(file, CANDIDATES, stated) as candidates,
    ):
        writer = Writer(candidates)
        yield writer
        table_files.write(searches, SEARCHES, stated, writer.searches(), "zstd")
