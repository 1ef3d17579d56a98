"""The records of one search on one seed input, gathered while it runs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quantrift.core.base.streams import stream
from quantrift.core.search.events import Seed, Step
from quantrift.core.search.messages import Problem

TOGETHER = 256
"""Generations whose columns are put together: by themselves, arrays of single candidates take many times their size."""


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
    generated: int = 0
    memberships: int = 0
    valid_memberships: int = 0
    dii_memberships: int = 0
    generations: int = 0
    first_dii: int = 0
    valid: int = 0
    reached: int = 0
    first_reached: int = 0
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
        done, valid = step.evaluated, step.evaluated.tell.valid
        own = slice(self.member, None, len(self.problem.indices))
        disagree, digests, seconds = done.tell.disagree[own], done.digests[own], step.seconds[own]
        reached = step.reached[own]
        first = self.generated
        self.digests.update(digests.tolist())
        self.generated += len(valid)
        self.generations = step.generation + 1
        self.seconds += float(seconds.sum())
        holding = int(np.count_nonzero(valid))
        self.valid += holding
        self.was_valid += valid.astype(np.uint8).tobytes()
        self.memberships += len(valid)
        self.valid_memberships += holding
        if disagree.any():
            self._found(step, first, disagree, reached, digests)
        if step.survivors is not None:
            self.memberships += len(step.survivors)
            self.valid_memberships += sum(self.was_valid[number] for number in step.survivors.tolist())
            self.dii_memberships += sum(number in self.dii for number in step.survivors.tolist())
        kept = disagree if self.found_alone else valid
        # A search of single candidates has very many generations; most have nothing to keep.
        if (self.columns or self.latest) and not kept.any():
            return
        if len(self.latest) == TOGETHER:
            self.columns.append(_joined(self.latest))
            self.latest = []
        self.latest.append(
            {
                "evaluation": np.arange(first, self.generated)[kept],
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
        self.dii_memberships += int(disagree.sum())
        for place in np.flatnonzero(disagree).tolist():
            self.dii[first + place] = int(digests[place])
        for place in np.flatnonzero(reached).tolist():
            self.reached += 1
            self._keep(first + place, step.candidates[place])
        self.reached_digests.update(digests[reached].tolist())
        if not self.first_dii:
            self.first_dii = self.generated
        if self.reached and not self.first_reached:
            self.first_reached = self.generated

    def _keep(self, evaluation: int, vector: np.ndarray) -> None:
        """Reservoir sampling: whatever the number of candidates that reach the goal, each is kept equally likely."""
        if self.keep is None or len(self.slots) < self.keep:
            self.slots.append(evaluation)
            self.vectors[evaluation] = vector.copy()
        elif not self.keep_first and (slot := int(self._rng.integers(self.reached))) < self.keep:
            del self.vectors[self.slots[slot]]
            self.slots[slot] = evaluation
            self.vectors[evaluation] = vector.copy()

    def candidate_columns(self) -> dict[str, Any]:
        """Columns of the candidates table."""
        joined = _joined([*self.columns, *self.latest])
        n = len(joined["evaluation"])
        joined |= {name: np.full(n, value) for name, value in self._keys().items()}
        return joined | {"vector": [self.vectors.get(number) for number in joined["evaluation"].tolist()]}

    def search_row(self) -> dict[str, Any]:
        """The row of the searches table."""
        return self._keys() | {
            "cluster": self.cluster,
            "constraint_fallback": bool(self.seed.fallback[self.member]),
            "generated": self.generated,
            "distinct": len(self.digests),
            "valid": self.valid,
            "dii": len(self.dii),
            "dii_distinct": len(set(self.dii.values())),
            "memberships": self.memberships,
            "valid_memberships": self.valid_memberships,
            "dii_memberships": self.dii_memberships,
            "generations": self.generations,
            "first_dii": self.first_dii,
            "reached": self.reached,
            "reached_distinct": len(self.reached_digests),
            "first_reached": self.first_reached,
            "seconds": self.seconds,
        }

    def _keys(self) -> dict[str, Any]:
        seed, member = self.seed, self.member
        return {
            "run_seed": self.problem.run_seed,
            "input": self.problem.indices[member],
            "target": -1 if self.problem.target is None else self.problem.target,
            "true_label": self.problem.true_labels[member],
            "seed_disagrees": bool(seed.labels_original[member] != seed.labels_compressed[member]),
        }


def _joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
