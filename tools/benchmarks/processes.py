"""Benchmark of search processes: the start of one, and the throughput of two."""

import subprocess
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import IO

from tools.benchmarks.result import Result
from tools.benchmarks.subject import Files

from quantrift.core.base.paths import Paths
from quantrift.study.planning.root import Config

MODEL = "hybridsn"
LIMIT = 0.3
"""Seconds until the first result of LiteRT."""
ROUNDS = 4
"""Batches of 256 that each process runs on both networks."""
FIRST_RESULT = """
import sys, numpy
from quantrift.core.networks.runtime import load_runtime
network = load_runtime(sys.argv[1], sys.argv[2])
network(numpy.zeros((1, *network.input_shape), numpy.float32))
print("done", flush=True)
"""
WORK = """
import sys, time, numpy
from pathlib import Path
from quantrift.core.pairs.given_pair import load_pair
pair = load_pair(*map(Path, sys.argv[1:3]))
x = numpy.random.default_rng(0).random((256, *pair.original.input_shape), numpy.float32)
pair.original(x), pair.compressed(x)
print("ready", flush=True)
sys.stdin.readline()
begin = time.perf_counter()
for _ in range(int(sys.argv[3])):
    pair.original(x), pair.compressed(x)
print(time.perf_counter() - begin, flush=True)
"""


@dataclass(eq=False)
class Start:
    """Wall time from the start of a process to the first logits of the original."""

    files: Files = field(init=False)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The original."""
        self.files = Files.of(MODEL, config, paths)
        return [self.files.original]

    def measure(self) -> Result:
        """Start each runtime once that needs no training library."""
        names = ["litert", *(["openvino"] if find_spec("openvino") else [])]
        seconds = {f"{name}_seconds": self._first_result(name) for name in names}
        value = seconds["litert_seconds"]
        return Result(value, "s", f"limit of {LIMIT} s", value / LIMIT, seconds)

    def _first_result(self, runtime: str) -> float:
        begin = perf_counter()
        with _process(FIRST_RESULT, runtime, str(self.files.original)) as process:
            _line(process.stdout)
            return perf_counter() - begin


@dataclass(eq=False)
class Workers:
    """Evaluations a second of two processes side by side over those of one; each runs original and compressed."""

    files: Files = field(init=False)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Both networks."""
        self.files = Files.of(MODEL, config, paths)
        return [self.files.original, self.files.compressed]

    def measure(self) -> Result:
        """One process, then two."""
        one, two = self._rate(1), self._rate(2)
        details = {"one_evaluations_per_second": one, "two_evaluations_per_second": two}
        return Result(two / one, "ratio", "one process; both networks, batch 256, one thread each", two / one, details)

    def _rate(self, workers: int) -> float:
        """Evaluations of both networks a second, all processes together."""
        arguments = str(self.files.original), str(self.files.compressed), str(ROUNDS)
        processes = [_process(WORK, *arguments) for _ in range(workers)]
        for process in processes:
            _line(process.stdout)
        for process in processes:
            assert process.stdin
            print("go", file=process.stdin, flush=True)
        seconds = [float(_line(process.stdout)) for process in processes]
        for process in processes:
            process.communicate()
        return workers * ROUNDS * 256 / max(seconds)


def _process(code: str, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def _line(stream: IO[str] | None) -> str:
    assert stream
    return stream.readline()
