"""Trials of mixed networks: each is built once, run on a sample, and remembered."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.runtime import load_runtime
from quantrift.judge.mend.builder import Builder
from quantrift.judge.mend.ranges import Ranges
from quantrift.judge.mend.sample import Counted, Sample

Kept = frozenset[str]
"""Names of the units that are left in float."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A network in mixed precision on a sample."""

    kept: Kept
    counted: Counted
    size: int
    """Bytes of its file."""
    int8_macs: int
    """Multiply-accumulates in 8 bits, for one input."""
    macs: int

    @property
    def int8_share(self) -> float:
        """Share of the multiply-accumulates in 8 bits; 0 where there are none."""
        return self.int8_macs / self.macs if self.macs else 0.0


@dataclass(eq=False)
class Trials:
    """Trials of one builder with one choice of ranges on one sample."""

    builder: Builder
    ranges: Ranges
    sample: Sample
    runtime: str
    """That runs the files."""
    told: Callable[[], None] = lambda: None
    """Called after each trial that was not remembered."""
    _known: dict[Kept, Trial] = field(default_factory=dict)
    _others: dict[Sample, "Trials"] = field(default_factory=dict)

    def __call__(self, kept: Collection[str]) -> Trial:
        """The trial of a network with some units in float."""
        key = frozenset(kept)
        if key not in self._known:
            self._known[key] = self._tried(key)
            self.told()
        return self._known[key]

    def on(self, sample: Sample) -> "Trials":
        """Trials of the same networks on another sample, which are remembered too."""
        if sample not in self._others:
            self._others[sample] = Trials(self.builder, self.ranges, sample, self.runtime)
        return self._others[sample]

    @property
    def count(self) -> int:
        """Networks that were built and run."""
        return len(self._known)

    def _tried(self, kept: Kept) -> Trial:
        content = self.builder.build(kept, self.ranges)
        with temporary_folder() as folder:
            path = Path(folder) / f"mixed{self.builder.base.suffix}"
            path.write_bytes(content)
            counted = self.sample.count(load_runtime(self.runtime, path))
        return Trial(kept, counted, len(content), *self.builder.macs(content))
