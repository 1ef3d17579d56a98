"""The records of one search, gathered while it runs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quantrift.config.streams import stream
from quantrift.search.engine import Seed, Step
from quantrift.search.messages import Problem, Result


@dataclass(eq=False)
class SearchRecord:
    """Counts of a search, its valid candidates, and the vectors kept of its difference-inducing inputs."""

    problem: Problem
    tool: str
    keep: int | None
    """Vectors kept, drawn evenly from all difference-inducing inputs; None keeps all."""
    keep_first: bool = False
    """Keep the first ones instead of an even draw."""
    seed: Seed | None = None
    generated: int = 0
    generations: int = 0
    dii: int = 0
    first_dii: int = 0
    seconds: float = 0.0
    digests: set[int] = field(default_factory=set)
    dii_digests: set[int] = field(default_factory=set)
    columns: list[dict[str, np.ndarray]] = field(default_factory=list)
    vectors: dict[int, np.ndarray] = field(default_factory=dict)
    """Evaluation number -> vector."""
    slots: list[int] = field(default_factory=list)
    """Evaluation numbers of the kept vectors, as reservoir sampling arranges them."""

    def __post_init__(self) -> None:
        key = (self.problem.run_seed, self.tool, self.problem.dataset, self.problem.index)
        self._rng = stream("records", *key)

    def add(self, step: Step) -> None:
        """Take in one generation."""
        tell, valid = step.tell, step.tell.valid
        numbers = np.arange(self.generated, self.generated + len(valid))
        self.digests.update(step.digests.tolist())
        self.dii_digests.update(step.digests[tell.disagree].tolist())
        self.generated += len(valid)
        self.generations = max(self.generations, step.generation + 1)
        self.seconds += float(step.seconds.sum())
        if tell.disagree.any() and not self.first_dii:
            self.first_dii = self.generated
        for place in np.flatnonzero(tell.disagree).tolist():
            self._keep(int(numbers[place]), step.candidates[place])
        assert self.seed is not None, "the engine reports the seed input first"
        self.columns.append(
            {
                "evaluation": numbers[valid],
                "generation": np.full(int(valid.sum()), step.generation),
                "label_original": tell.labels_original[valid],
                "label_compressed": tell.labels_compressed[valid],
                "fitness": tell.fitness[valid, 0],
                "psnr": step.psnr[valid],
                "identity": step.digests[valid] == np.uint64(self.seed.digest),
                "digest": step.digests[valid],
                "seconds": step.seconds[valid],
            }
        )

    def _keep(self, evaluation: int, vector: np.ndarray) -> None:
        """Reservoir sampling: whatever the number of difference-inducing inputs, each is kept equally likely."""
        self.dii += 1
        if self.keep is None or len(self.slots) < self.keep:
            self.slots.append(evaluation)
            self.vectors[evaluation] = vector.copy()
        elif not self.keep_first and (slot := int(self._rng.integers(self.dii))) < self.keep:
            del self.vectors[self.slots[slot]]
            self.slots[slot] = evaluation
            self.vectors[evaluation] = vector.copy()

    def candidate_columns(self) -> dict[str, Any]:
        """Columns of the candidates table."""
        joined = {name: np.concatenate([part[name] for part in self.columns]) for name in self.columns[0]}
        n = len(joined["evaluation"])
        keys = self._keys()
        joined |= {name: np.full(n, keys[name]) for name in ("run_seed", "input", "true_label", "seed_disagrees")}
        return joined | {"vector": [self.vectors.get(number) for number in joined["evaluation"].tolist()]}

    def search_row(self, result: Result) -> dict[str, Any]:
        """The row of the searches table."""
        return self._keys() | {
            "generated": self.generated,
            "distinct": len(self.digests),
            "valid": sum(len(part["evaluation"]) for part in self.columns),
            "dii": self.dii,
            "dii_distinct": len(self.dii_digests),
            "memberships": self.generated if result.memberships is None else result.memberships,
            "dii_memberships": self.dii if result.dii_memberships is None else result.dii_memberships,
            "generations": self.generations,
            "first_dii": self.first_dii,
            "seconds": self.seconds,
        }

    def _keys(self) -> dict[str, Any]:
        assert self.seed is not None, "the engine reports the seed input first"
        return {
            "run_seed": self.problem.run_seed,
            "input": self.problem.index,
            "true_label": self.problem.true_label,
            "seed_disagrees": self.seed.label_original != self.seed.label_compressed,
        }
