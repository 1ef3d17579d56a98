"""Numbers of distortions that difference-inducing inputs have and need, as shares with intervals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.table_columns import Arrays, places, taken
from quantrift.core.search.record_columns import settings, switched_on
from quantrift.core.statistics.intervals import Share, pooled, unit_of


@dataclass(frozen=True, eq=False)
class Minimal:
    """Outcome of shrinking for one tool on one subject, without seed inputs on which the models disagree."""

    shrunk: Arrays
    """``quantrift.core.search.records.shrinking.SHRUNK`` without those inputs."""
    agreeing: tuple[np.ndarray, np.ndarray]
    """Run seed and input, int64 (m,) each, of all searches whose seed inputs the models agree on, ascending."""
    clusters: np.ndarray
    """Cluster of each of these searches, int64."""
    left_out: int
    """Difference-inducing inputs that need no distortion, as the models disagree on their seed input."""
    distortions: Sequence[str]

    def __len__(self) -> int:
        return len(self.shrunk["input"])

    def share(self, chosen: np.ndarray) -> Share:
        """The share of the inputs that are chosen, bool (n,), n >= 1.

        Its interval redraws all seed inputs, also those of which nothing was shrunk (``statistics.intervals.of_sums``).
        """
        place = places([self.shrunk["run_seed"], self.shrunk["input"]], self.agreeing)
        counts = np.zeros((len(self.clusters), 2), np.int64)
        np.add.at(counts, place, np.column_stack([chosen, np.ones(len(chosen))]).astype(np.int64))
        return pooled(self.clusters, counts[:, 0], counts[:, 1], unit_of(self.agreeing[1], self.clusters))

    def frequent(self, size: int, most: int) -> list[int]:
        """The sets of a size that are a smallest set of most inputs, most frequent first, ties by their bits."""
        counted = Counter(one for sets in self.shrunk["sets"][self.shrunk["size"] == size] for one in sets.tolist())
        return [one for one, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most]]

    def having(self, one: int) -> np.ndarray:
        """Whether each input has it among its smallest sets, bool (n,)."""
        return np.array([one in sets for sets in self.shrunk["sets"]], bool)

    def named(self, one: int) -> str:
        """The distortions of a set: ``rotation + zoom``."""
        return " + ".join(switched_on(self.distortions, one))


def read(path: Path) -> Minimal:
    """Read the outcome of rule ``shrink``."""
    table = table_files.read(path)
    agreeing = ~table["seed_disagrees"].astype(bool)
    made = settings(path)
    run_seeds, inputs, clusters = np.array(made["agreeing"], np.int64).reshape(-1, 3).T
    return Minimal(taken(table, agreeing), (run_seeds, inputs), clusters, int((~agreeing).sum()), made["distortions"])
