"""Benchmark of memory: the peak of a whole search job."""

from dataclasses import dataclass
from pathlib import Path

from tools.benchmarks import search_process
from tools.benchmarks.benchmark_searches import Searched
from tools.benchmarks.result import Result

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.study.planning.root import Config

INPUTS = 160
LIMIT_MB = 1500


@dataclass(eq=False)
class PeakMemory:
    """Largest resident memory of a search job's process: 160 inputs x 250 candidates, imports and records included."""

    searched: Searched

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files."""
        return self.searched.needs(config, paths)

    def measure(self) -> Result:
        """Run the job in a process of its own, with all inputs and with a quarter of them.

        Raises:
            QuantriftError: if it fails, or there are fewer inputs.
        """
        value, quarter = self._peak(INPUTS), self._peak(INPUTS // 4)
        return Result(value, "MB", f"limit of {LIMIT_MB} MB", value / LIMIT_MB, {"quarter_of_the_inputs_mb": quarter})

    def _peak(self, inputs: int) -> float:
        drawn = self.searched.drawn()
        if len(drawn) < inputs:
            raise QuantriftError(
                f"{self.searched.files.seeds}: {inputs} seed inputs are needed, but it holds {len(drawn)}"
            )
        # The first inputs of all run seeds as one run seed.
        return search_process.spent(self.searched, [(0, index) for _, index in drawn[:inputs]]).mb
