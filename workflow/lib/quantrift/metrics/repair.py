"""What a repair says, with intervals whose unit is the seed input."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.config.files import read_json
from quantrift.metrics.intervals import resampled, wilson


@dataclass(frozen=True)
class Share:
    """A share of the inputs that were judged, with its 95 % interval; fractions, NaN without inputs."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Repair:
    """One file of ``quantrift.records.repair``."""

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
        """On how many of them the networks agree after ``side``, ``repaired`` or ``control``."""
        return sum(agree for _, agree in self.facts[side]["judged"])

    def share(self, side: str) -> Share:
        """The same as a share; percentiles of a bootstrap over seed inputs (``metrics.intervals``).

        Where resampling cannot see what was missed, as nothing or everything is gone, the interval is Wilson's.
        """
        counts = np.array(self.facts[side]["judged"], np.int64).reshape(-1, 2)
        found, gone = counts.sum(axis=0).tolist()
        if not found:
            return Share(np.nan, np.nan, np.nan)
        if gone in (0, found):
            return Share(gone / found, *wilson(gone / found * len(counts), len(counts)))
        [sums] = resampled(np.zeros(len(counts), np.int64), counts)
        low, high = np.percentile(sums[:, 1] / sums[:, 0], [2.5, 97.5]).tolist()
        return Share(gone / found, low, high)


def read(path: Path) -> Repair:
    """What ``quantrift.records.repair`` wrote to a .json file."""
    return Repair(read_json(path))
