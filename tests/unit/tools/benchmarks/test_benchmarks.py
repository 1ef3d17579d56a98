"""Reports of the benchmarks of runtimes and processes; speed depends on the machine and is not tested."""

import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from tests.factories import configurations
from tools.benchmarks.benchmark import Cost, cost
from tools.benchmarks.runtimes import Files

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths

MEASURE = """
import json, sys, pathlib
from tools.benchmarks import runtimes
runtimes.SECONDS = 0.01
benchmark = runtimes.Runtimes("hybridsn")
benchmark.files = runtimes.Files(*map(pathlib.Path, sys.argv[1:]))
print(json.dumps(vars(benchmark.measure())))
"""


@pytest.fixture
def files(trained: Path, compressed: Path, scene_path: Path) -> Files:
    return Files(scene_path, trained / "twin.keras", trained / "original.tflite", compressed / "model.tflite")


@pytest.mark.slow
def test_runtimes_take_turns_and_those_that_are_installed_are_timed(files: Files) -> None:
    arguments = [str(path) for path in vars(files).values()]
    done = subprocess.run([sys.executable, "-c", MEASURE, *arguments], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    details = result["details"]
    measured = [name.removesuffix("_256") for name in details if name.endswith("_256")]
    assert measured[:3] == ["tensorflow", "litert", "litert_int8"]
    assert all(details[f"{name}_{batch}"] > 0 for name in measured for batch in (1, 256))
    assert result["value"] == details["litert_256"]
    assert result["ratio"] == result["value"] / details["tensorflow_256"]


def test_the_clock_of_benchmarks_counts_processors_and_child_processes_and_no_waiting() -> None:
    with Cost() as waiting:
        time.sleep(0.3)
    with Cost() as child:
        subprocess.run([sys.executable, "-c", "while __import__('time').process_time() < 0.2: pass"], check=True)
    assert waiting.seconds > 0.29
    assert waiting.processor_seconds < 0.1
    assert 0.2 <= child.processor_seconds < 5
    once = cost(partial(time.sleep, 0.02), rounds=5)
    assert 0.02 <= once.seconds < 0.1


def test_files_are_those_of_the_first_subject_with_the_network_in_8_bits() -> None:
    config = configurations.of_scale()
    paths = Paths(Path("results/demo"))
    files = Files.of("lenet5", config, paths)
    assert files.original == paths.model("digits", "lenet5") / "original.tflite"
    assert files.compressed == paths.compressed("digits", "lenet5", "ptq_int8") / "model.tflite"
    with pytest.raises(QuantriftError, match="no subject of this scale is vgg16 with ptq_int8"):
        Files.of("vgg16", config, paths)
