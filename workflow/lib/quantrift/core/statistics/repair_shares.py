"""Shares of repaired disagreements, with intervals whose unit is the seed input."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.files import read_json
from quantrift.core.statistics.intervals import Share, pooled, unit_of


@dataclass(frozen=True)
class Repair:
    """One file of ``quantrift.study.compression.repair_job``."""

    facts: dict[str, Any]

    @property
    def inputs(self) -> int:
        """Seed inputs that are judged."""
        return len(self.facts["before"]["judged"])

    @property
    def dii(self) -> int:
        """Difference-inducing inputs that are judged."""
        return sum(found for found, _ in self.facts["before"]["judged"])

    def gone(self, side: str) -> int:
        """Number of them on which the networks agree after ``side``, ``repaired`` or ``control``."""
        return sum(agree for _, agree in self.facts[side]["judged"])

    def share(self, side: str) -> Share:
        """The same as a share, pooled over seed inputs."""
        counts = np.array(self.facts[side]["judged"], np.int64).reshape(-1, 2)
        inputs, clusters = np.array(self.facts["judged_seeds"], np.int64).reshape(-1, 2).T
        return pooled(clusters, counts[:, 1], counts[:, 0], unit_of(inputs, clusters))


def read(path: Path) -> Repair:
    """Read a .json file that ``quantrift.study.compression.repair_job`` made."""
    return Repair(read_json(path))
