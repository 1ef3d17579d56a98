"""Measure speed: builds the files of a benchmark through the workflow, then writes results/bench/NAME.json.

With a mirror of official files (QUANTRIFT_MIRROR) the sample scale is measured, otherwise the demo. As machines are
noisy, the judged figure is the median of several repeats, and alternatives are measured in one run.
"""

import argparse
import contextlib
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tools.benchmarks import (
    against_library,
    bounds,
    checkers,
    decode,
    decode_images,
    efficiency,
    gradient_cost,
    growth,
    memory,
    mending,
    planning,
    processes,
    query_cost,
    recall,
    runtimes,
    training,
    verdicts,
    verdicts_of_tasks,
    workflow,
)
from tools.benchmarks.benchmark_searches import Searched
from tools.benchmarks.result import Benchmark, Result
from tqdm import tqdm

from quantrift.cli.outcome import ended
from quantrift.cli.suite_pairs import build
from quantrift.core.base import process_environment
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_json
from quantrift.core.base.paths import Paths
from quantrift.core.page.provenance import processor
from quantrift.study.datasets.addresses import MIRROR
from quantrift.study.planning import configuration_files

BENCHMARKS: dict[str, Callable[..., Benchmark]] = {
    "bounds": bounds.Bounds,
    "bounds_lenet1": lambda: bounds.Bounds("lenet1"),
    "bounds_lenet5": lambda: bounds.Bounds("lenet5"),
    "bounds_mlp": lambda: bounds.Bounds("mlp"),
    "checkers": checkers.Checkers,
    "efficiency_hybridsn_jensen_shannon": lambda: efficiency.Efficiency(Searched("hybridsn", "pso_div")),
    "efficiency_hybridsn_kmnc": lambda: efficiency.Efficiency(Searched("hybridsn", "pso_cov")),
    "efficiency_ssrn_jensen_shannon": lambda: efficiency.Efficiency(Searched("ssrn", "pso_div")),
    "efficiency_ssrn_kmnc": lambda: efficiency.Efficiency(Searched("ssrn", "pso_cov")),
    # Each of its searches evaluates as many candidates as hundreds of those above.
    "diffchaser_lenet5": lambda: efficiency.Efficiency(
        Searched("lenet5", "diffchaser", "float16_truncation_100"), inputs=4
    ),
    "deepxplore_lenet5": lambda: gradient_cost.Gradients(Searched("lenet5", "deepxplore", "float16_truncation_100")),
    "deepxplore_resnet20": lambda: gradient_cost.Gradients(
        Searched("resnet20", "deepxplore", "float16_truncation_100")
    ),
    "decode_7x7x103": lambda: decode.Decode((7, 7, 103), limit=40),
    "decode_7x7x204": lambda: decode.Decode((7, 7, 204), limit=70),
    "decode_25x25x15": lambda: decode.Decode((25, 25, 15), limit=100),
    "decode_images_224x224x3": lambda: decode_images.DecodeImages((224, 224, 3), limit=2),
    "dry_run_paper": workflow.DryRun,
    "growth": lambda: growth.Growth(Searched("lenet5", "random")),
    "library_pso": lambda: against_library.Library(Searched("hybridsn", "pso_div_library")),
    "library_ga": lambda: against_library.Library(Searched("hybridsn", "ga_div_library")),
    "mending": mending.Mending,
    "overhead": workflow.Overhead,
    "peak_memory": lambda: memory.PeakMemory(Searched("hybridsn", "pso_div")),
    "plan": planning.Plan,
    "recall": recall.Recall,
    "runtime_hybridsn": lambda: runtimes.Runtimes("hybridsn"),
    "runtime_ssrn": lambda: runtimes.Runtimes("ssrn"),
    "runtime_lenet5": lambda: runtimes.Runtimes("lenet5"),
    "runtime_resnet20": lambda: runtimes.Runtimes("resnet20"),
    "start": processes.Start,
    "training": training.Training,
    "triggerfinder_lenet1": lambda: query_cost.Queries(
        Searched("lenet1_dflare", "triggerfinder_code", own=True), Searched("lenet1", "triggerfinder_code", own=True)
    ),
    "verdicts": verdicts.Verdicts,
    "verdicts_of_tasks": verdicts_of_tasks.VerdictsOfTasks,
    "workers": processes.Workers,
}
ONCE = {
    "bounds",
    "bounds_lenet1",
    "bounds_lenet5",
    "bounds_mlp",
    "checkers",
    "growth",
    "mending",
    "plan",
    "recall",
    "training",
    "verdicts",
    "verdicts_of_tasks",
}
"""Benchmarks of one repeat: their results follow from files alone, or one takes many minutes."""
SIZES = ("networks", "seeds", "formats")
"""Options of the benchmark of checkers."""
EXAMPLES = """examples:
  python -m tools.bench                                       all benchmarks
  python -m tools.bench efficiency_hybridsn_jensen_shannon    one of them
  python -m tools.bench checkers --networks 3                 a smaller one
"""


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", choices=[*BENCHMARKS, []], metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--repeats", type=int, default=5, help="repeats of which the median is judged (default 5)")
    of_checkers = parser.add_argument_group("of the benchmark checkers")
    of_checkers.add_argument("--networks", type=int, choices=range(2, 7), help="networks, of six (default 6)")
    of_checkers.add_argument("--seeds", type=int, help="draws of the layer of each fault (default 1)")
    of_checkers.add_argument("--formats", nargs="+", choices=("tflite", "onnx"), help="kinds of files (default both)")
    process_environment.pin()
    return ended("bench", lambda: measure(parser.parse_args()))


def measure(given: argparse.Namespace) -> int:
    """Measure and write; 0."""
    overlay = configuration_files.ROOT / "config" / ("sample.yaml" if os.environ.get(MIRROR) else "config.yaml")
    config = configuration_files.load(configuration_files.ROOT / "config", [overlay])
    paths = Paths(Path("results") / config.scale)
    sizes = {name: size for name in SIZES if (size := getattr(given, name)) is not None}
    if sizes and given.names != ["checkers"]:
        raise QuantriftError(
            f"{', '.join(f'--{name}' for name in sizes)}: sizes of the benchmark checkers; name it alone"
        )
    for name in given.names or BENCHMARKS:
        benchmark = BENCHMARKS[name](**sizes)
        if files := benchmark.needs(config, paths):
            build(overlay, files)
        repeats = 1 if name in ONCE else given.repeats
        results = [benchmark.measure() for _ in tqdm(range(repeats), desc=name, unit="repeat")]
        out = Path("results") / "bench" / f"{name}.json"
        write_json(out, summary(name, config.scale, results))
        print(f"{name}: {statistics.median(result.value for result in results):.3f} {results[0].unit} -> {out}")
    return 0


def summary(name: str, scale: str, results: list[Result]) -> dict[str, object]:
    """Content of a benchmark's file: medians over its repeats, all values, and the machine."""
    first = results[0]
    return {
        "name": name,
        "value": statistics.median(result.value for result in results),
        "unit": first.unit,
        "baseline": first.baseline,
        "ratio": statistics.median(result.ratio for result in results),
        "repeats": [result.value for result in results],
        "details": {key: statistics.median(result.details[key] for result in results) for key in first.details},
        **({"rows": list(first.rows)} if first.rows else {}),
        "scale": scale,
        "cpu": processor(Path("/proc/cpuinfo")),
        "versions": {"python": platform.python_version()} | dict(_versions()),
        "command": f"python -m tools.bench {name}",
    }


def _versions() -> Iterator[tuple[str, str]]:
    """Packages that run networks, and their versions; runtimes that are not installed are left out."""
    for package in ("quantrift", "ai-edge-litert", "numpy", "tensorflow", "openvino", "onnxruntime"):
        with contextlib.suppress(PackageNotFoundError):
            yield package, version(package)


if __name__ == "__main__":
    sys.exit(main())
