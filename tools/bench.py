"""Measure speed: builds the files of a benchmark through the workflow, then writes results/bench/NAME.json.

With a mirror of official files (QUANTRIFT_MIRROR) the sample scale is measured, otherwise the demo. Judged are seconds
of processors, those of child processes included: the median of several repeats, with their spread and the machine's
load.
"""

import argparse
import os
import platform
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tools.benchmarks import (
    bounds,
    bugs,
    plan,
    runtimes,
    search_speed,
    shipped,
    verdicts,
)
from tools.benchmarks.benchmark import RESULTS, Benchmark, Result
from tqdm import tqdm

from quantrift.cli.outcome import ended
from quantrift.cli.suite_pairs import build
from quantrift.core.base import process_environment
from quantrift.core.base.files import write_json
from quantrift.core.base.package_versions import NONE, version
from quantrift.core.base.paths import Paths
from quantrift.core.page.provenance import processor
from quantrift.study.datasets.addresses import MIRROR
from quantrift.study.planning import configuration_files

BENCHMARKS: dict[str, Callable[..., Benchmark]] = {
    "bounds": bounds.Bounds,
    "bounds_lenet1": partial(bounds.Bounds, "lenet1"),
    "bounds_lenet5": partial(bounds.Bounds, "lenet5"),
    "bounds_mlp": partial(bounds.Bounds, "mlp"),
    "bugs": bugs.Bugs,
    "efficiency_hybridsn_jensen_shannon": partial(search_speed.Efficiency, "hybridsn", "pso_div"),
    "efficiency_hybridsn_kmnc": partial(search_speed.Efficiency, "hybridsn", "pso_cov"),
    "efficiency_ssrn_jensen_shannon": partial(search_speed.Efficiency, "ssrn", "pso_div"),
    "efficiency_ssrn_kmnc": partial(search_speed.Efficiency, "ssrn", "pso_cov"),
    # Each of its searches evaluates as many candidates as hundreds of those above.
    "diffchaser_lenet5": partial(search_speed.Efficiency, "lenet5", "diffchaser", "float16_truncation_100", inputs=4),
    "plan": plan.Plan,
    "runtime_hybridsn": partial(runtimes.Runtimes, "hybridsn"),
    "runtime_ssrn": partial(runtimes.Runtimes, "ssrn"),
    "runtime_lenet5": partial(runtimes.Runtimes, "lenet5"),
    "runtime_resnet20": partial(runtimes.Runtimes, "resnet20"),
    "shipped": shipped.ShippedPairs,
    "verdicts": verdicts.Verdicts,
}
ONCE = {*bounds.NETWORKS, "bugs", "plan", "shipped", "verdicts"}
"""Benchmarks of one repeat: their results follow from files alone, or one takes many minutes."""
TINY = 1e-12
PACKAGES = ("quantrift", "ai-edge-litert", "numpy", "tensorflow", "openvino", "onnxruntime")
"""Packages that run networks, whose versions are kept; those that are not installed are left out."""
EXAMPLES = """examples:
  python -m tools.bench                                       all benchmarks
  python -m tools.bench efficiency_hybridsn_jensen_shannon    one of them
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
    process_environment.pin()
    return ended("bench", lambda: measure(parser.parse_args()))


def measure(given: argparse.Namespace) -> int:
    """Measure and write; 0."""
    overlay = configuration_files.ROOT / "config" / ("sample.yaml" if os.environ.get(MIRROR) else "config.yaml")
    config = configuration_files.load(configuration_files.ROOT / "config", [overlay])
    paths = Paths(Path("results") / config.scale)
    for name in given.names or BENCHMARKS:
        benchmark = BENCHMARKS[name]()
        if files := benchmark.needs(config, paths):
            build(overlay, files)
        repeats = range(1 if name in ONCE else given.repeats)
        results = [benchmark.measure() for _ in tqdm(repeats, desc=name, unit="repeat")]
        out = RESULTS / f"{name}.json"
        made = summary(name, config.scale, results)
        write_json(out, made)
        spread = f", within {100 * made['spread']:.0f} %" if repeats[1:] else ""
        print(f"{name}: {made['value']:.3f} {made['unit']}{spread}, load {made['load']:.1f} -> {out}")
    return 0


def summary(name: str, scale: str, results: list[Result]) -> dict[str, Any]:
    """Content of a benchmark's file: medians over its repeats, all values, their spread, the machine and its load."""
    first, values = results[0], [result.value for result in results]
    return {
        "name": name,
        "value": statistics.median(values),
        "unit": first.unit,
        "baseline": first.baseline,
        "ratio": statistics.median(result.ratio for result in results),
        "repeats": values,
        "spread": (max(values) - min(values)) / max(abs(statistics.median(values)), TINY),
        "load": os.getloadavg()[0],
        "details": {key: statistics.median(result.details[key] for result in results) for key in first.details},
        **({"rows": list(first.rows)} if first.rows else {}),
        "scale": scale,
        "cpu": processor(Path("/proc/cpuinfo")),
        "versions": {"python": platform.python_version()}
        | {package: found for package in PACKAGES if (found := version(package)) != NONE},
        "command": f"python -m tools.bench {name}",
    }


if __name__ == "__main__":
    sys.exit(main())
