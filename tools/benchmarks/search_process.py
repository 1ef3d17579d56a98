"""A search job in a process of its own, for benchmarks: what it spends, imports and records included."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.benchmarks.benchmark_searches import Searched

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.run import Budget

JOB = """
import json, resource, sys
from pathlib import Path
from quantrift.core.base.seed_blocks import Block
from quantrift.core.search.run import Budget, Files, Job, run
given = json.loads(sys.argv[1])
given["job"]["budget"].pop("stop")
job = Job(**{**given["job"], "budget": Budget(**given["job"]["budget"])})
files = Files(**{name: Path(path) for name, path in given["files"].items()})
run(job, files, Block(range(given["run_seeds"])), Path(given["out"]))
used = resource.getrusage(resource.RUSAGE_SELF)
# Linux counts the memory of the process that started this one in ru_maxrss, if it was larger; not so in VmHWM.
status = Path("/proc/self/status")
peak = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line] if status.exists() else []
print(used.ru_utime + used.ru_stime, int(peak[0] if peak else used.ru_maxrss) * 1.024e-3)
"""


@dataclass(frozen=True)
class Spent:
    """Costs of a process."""

    processor_seconds: float
    mb: float
    """Largest resident memory, in 10^6 bytes."""


def spent(searched: Searched, chosen: Sequence[tuple[int, int]], budget: Budget | None = None) -> Spent:
    """Run a search for each (run seed, input), run seeds numbered from 0; by default with the budget of the job.

    Raises:
        QuantriftError: if the job fails.
    """
    job = asdict(searched.job)
    if budget is not None:
        job["budget"] = asdict(budget)
    files = {name: str(path) for name, path in searched.files.present.items()}
    with TemporaryDirectory() as folder:
        files["seeds"] = str(Path(folder) / "seeds.csv")
        lines = ["run_seed,input", *(f"{run_seed},{index}" for run_seed, index in chosen)]
        Path(files["seeds"]).write_text("\n".join(lines) + "\n")
        run_seeds = 1 + max(run_seed for run_seed, _ in chosen)
        given = {"job": job, "files": files, "run_seeds": run_seeds, "out": f"{folder}/x.parquet"}
        command = [sys.executable, "-c", JOB, json.dumps(given)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise QuantriftError(f"the search job failed: {done.stderr.strip().splitlines()[-1]}")
    processor_seconds, mb = map(float, done.stdout.split())
    return Spent(processor_seconds, mb)
