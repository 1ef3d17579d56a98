"""Benchmark of memory: the peak of a whole search job."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from quantrift.base.errors import QuantriftError
from quantrift.base.paths import Paths
from quantrift.cli.benchmarks.benchmark_searches import Searched
from quantrift.cli.benchmarks.result import Result
from quantrift.plan.root import Config

INPUTS = 160
LIMIT_MB = 1500
JOB = """
import json, resource, sys
from pathlib import Path
from quantrift.base.seed_blocks import Block
from quantrift.search.run import Budget, Files, Job, run
given = json.loads(sys.argv[1])
given["job"]["budget"].pop("stop")
job = Job(**{**given["job"], "budget": Budget(**given["job"]["budget"])})
files = Files(**{name: Path(path) for name, path in given["files"].items()})
run(job, files, Block(range(given["run_seeds"])), Path(given["out"]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


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
            QuantriftError: if it fails.
        """
        value, quarter = self._peak(INPUTS), self._peak(INPUTS // 4)
        return Result(value, "MB", f"limit of {LIMIT_MB} MB", value / LIMIT_MB, {"quarter_of_the_inputs_mb": quarter})

    def _peak(self, inputs: int) -> float:
        files = {name: str(path) for name, path in self.searched.files.present.items()}
        header, *lines = Path(files["seeds"]).read_text().splitlines()
        if len(lines) < inputs:
            raise QuantriftError(f"{files['seeds']}: {inputs} seed inputs are needed, but it holds {len(lines)}")
        with TemporaryDirectory() as folder:
            # The first inputs of all run seeds as one run seed.
            chosen = [f"0,{line.split(',', 1)[1]}" for line in lines[:inputs]]
            files["seeds"] = str(Path(folder) / "seeds.csv")
            Path(files["seeds"]).write_text("\n".join([header, *chosen]) + "\n")
            given = {"job": asdict(self.searched.job), "files": files, "run_seeds": 1, "out": f"{folder}/x.parquet"}
            command = [sys.executable, "-c", JOB, json.dumps(given)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise QuantriftError(f"the search job failed: {done.stderr.strip().splitlines()[-1]}")
        return int(done.stdout) / 1e3
