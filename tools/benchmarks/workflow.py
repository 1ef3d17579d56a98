"""Benchmark of the workflow's overhead: a dry run of the whole paper configuration, and the start of jobs."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.benchmarks.benchmark import Benchmark, Cost, Result

from quantrift.cli.planning.dry_run import parsed
from quantrift.cli.planning.measured import benchmark_row
from quantrift.core.base.errors import QuantriftError
from quantrift.study.planning.configuration_files import ROOT

DRY_RUN_LIMIT = 20
"""Seconds."""
OVERHEAD_LIMIT = 0.05
"""Share of the wall time."""
SEARCH_JOB = 900.0
"""Seconds of a search job of the usual length."""


@dataclass(frozen=True)
class _Ran:
    seconds: float
    """By the clock."""
    processor_seconds: float
    mb: float
    """Largest resident memory, in 10^6 bytes."""
    jobs: int
    """Jobs of a dry run."""


def _snakemake(folder: str, *arguments: str) -> _Ran:
    """Snakemake in a folder that holds nothing yet."""
    place = ["--snakefile", str(ROOT / "Snakefile"), "--directory", folder]
    out = Path(folder) / "said.txt"
    with Cost() as spent, out.open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "snakemake", *place, *arguments], stdout=said, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
    text = out.read_text(encoding="utf-8")
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise QuantriftError(f"snakemake failed: {text.strip().splitlines()[-1]}")
    return _Ran(spent.seconds, spent.processor_seconds, usage.ru_maxrss * 1.024e-3, len(parsed(text)))


def everything_at_paper_scale(folder: str, block: int | None = None) -> _Ran:
    """A dry run of every target in a folder that holds nothing yet, searches cut into blocks of some run seeds."""
    cut = [] if block is None else ["--config", f"engine={{block: {block}}}"]
    paper = str(ROOT / "config" / "paper.yaml")
    return _snakemake(folder, "everything", "--dry-run", "--cores", "1", "--configfile", paper, *cut)


class DryRun(Benchmark):
    """Seconds of a processor of a dry run of every target at paper scale, from nothing."""

    def measure(self) -> Result:
        """One dry run."""
        with TemporaryDirectory() as folder:
            ran = everything_at_paper_scale(folder)
        details = {"mb": ran.mb, "seconds": ran.seconds, "jobs": float(ran.jobs)}
        value = ran.processor_seconds
        return Result(value, "s", f"limit of {DRY_RUN_LIMIT} s", value / DRY_RUN_LIMIT, details)


class Overhead(Benchmark):
    """Snakemake's share of the wall time of search jobs of the usual length, one after the other.

    The overhead of a job is measured on a few quick ones, the demo's data, with a share of Snakemake's own start; so it
    is rather overestimated.
    """

    def measure(self) -> Result:
        """Prepare the demo's data."""
        demo = ["--cores", "1", "--configfile", str(ROOT / "config" / "config.yaml")]
        data = [f"results/demo/data/digits/{name}.npz" for name in ("lenet5", "cnn", "mlp", "lenet1")]
        with TemporaryDirectory() as folder:
            ran = _snakemake(folder, *demo, "--", *data)
            spent = [float(benchmark_row(file)["s"]) for file in Path(folder).rglob("benchmarks/**/*.tsv")]
        each = max(ran.seconds - sum(spent), 0) / len(spent)
        share = each / (each + SEARCH_JOB)
        details = {
            "seconds_a_job": each,
            "share_of_these_jobs": 1 - sum(spent) / ran.seconds,
            "block_seconds": SEARCH_JOB,
        }
        return Result(share, "fraction", f"limit of {OVERHEAD_LIMIT}", share / OVERHEAD_LIMIT, details)
