"""Result of a benchmark, and the interface of all benchmarks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from quantrift.core.base.paths import Paths
from quantrift.study.planning.root import Config


@dataclass(frozen=True)
class Result:
    """One repeat of a benchmark."""

    value: float
    """The judged figure."""
    unit: str
    baseline: str
    """The reference that ``ratio`` compares with."""
    ratio: float
    details: dict[str, float]
    rows: Sequence[Mapping[str, object]] = ()
    """Parts of the figures, where readers need each."""


class Benchmark(Protocol):
    """Something that can be measured repeatedly."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Files the workflow has to make first; remembers what ``measure`` needs to know."""
        ...

    def measure(self) -> Result:
        """One repeat."""
        ...
