"""What targets would cost before anything runs: jobs, core-hours, memory and disk of each, and the time of all.

The jobs are those of Snakemake's own dry run in an empty folder, so every job counts, whatever results there are
already. What each takes comes from measured rates (config/rates.csv, made by `quantrift rates`): of the same work on
the same dataset, or on a crop or simulation that stands for it. What nobody measured is counted and named, never
guessed. Jobs that a target shares with one above it are counted there.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from quantrift.cli.planning.dry_run import Planned, jobs, needed_for
from quantrift.cli.planning.durations import duration
from quantrift.cli.planning.schedule import makespan
from quantrift.config import load, rates
from quantrift.config.errors import QuantriftError, nearest
from quantrift.config.made_from import made
from quantrift.config.paths import Paths
from quantrift.config.rates import Cost
from quantrift.config.root import REPORT, Config

EXAMPLES = """examples:
  quantrift plan --configfile config/paper.yaml             everything it names under `all`
  quantrift plan rq1 rq2 rq3 --configfile config/paper.yaml --cores 64
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="tables, figures, collections (default: `all`)")
    parser.add_argument("--configfile", type=Path, required=True, metavar="FILE", help="what is to be run")
    parser.add_argument(
        "--cores",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="how many work side by side (this machine's)",
    )
    parser.add_argument(
        "--rates", type=Path, default=rates.FILE, metavar="FILE", help="measured rates (config/rates.csv)"
    )


def run(given: argparse.Namespace) -> int:
    """0."""
    if given.cores < 1:
        raise QuantriftError(f"--cores: at least 1, got {given.cores}")
    config = load.load(load.ROOT / "config", [given.configfile])
    targets = given.targets or config.all
    for name in targets:
        if name not in (*config.targets, REPORT):
            raise QuantriftError(f"unknown target '{name}'; {nearest(name, [*config.targets, REPORT])}")
    with TemporaryDirectory() as folder:
        planned = jobs(given.configfile, targets, Path(folder), given.cores)
    # Targets are jobs of Snakemake that do nothing.
    planned = [one for one in planned if one.outputs]
    known = rates.read(given.rates)
    costs = {one.number: cost for one in planned if (cost := known.cost(config, one.job))}
    _print_targets(config, targets, planned, costs)
    unknown = [one for one in planned if one.number not in costs]
    seconds = {number: cost.seconds for number, cost in costs.items()}
    time = makespan(planned, seconds, given.cores)
    plural = "core" if given.cores == 1 else "cores"
    missing = ", what is not measured aside" if unknown else ""
    print(f"\ntime on {given.cores} {plural}{missing}: {duration(time)}")
    if unknown:
        print(f"\nnot measured, and not in these numbers: {len(unknown):,} of {len(planned):,} jobs")
        for line in _grouped(unknown):
            print(f"  {line}")
    return 0


def _print_targets(config: Config, targets: Iterable[str], planned: list[Planned], costs: dict[int, Cost]) -> None:
    """A line for each target, and one for all of them."""
    print(f"{'target':<32}{'jobs':>8}{'core-hours':>12}{'memory':>10}{'disk':>10}")
    seen: set[int] = set()
    by_number = {one.number: one for one in planned}
    paths = Paths(Path("results") / config.scale)
    for name in targets:
        own = needed_for(planned, map(str, made(config, paths, name))) - seen
        seen |= own
        print(_line(name, [by_number[number] for number in own], costs))
    print(_line("all of these", planned, costs))


def _line(name: str, own: list[Planned], costs: dict[int, Cost]) -> str:
    known = [(one, costs[one.number]) for one in own if one.number in costs]
    hours = sum(cost.seconds * one.threads for one, cost in known) / 3600
    memory = max((cost.memory_mb for _, cost in known if cost.memory_mb), default=0.0)
    disk = sum(cost.bytes for _, cost in known)
    shown = f"{memory / 1000:.1f} GB" if memory else ""
    unknown = len(own) - len(known)
    more = f"  + {unknown:,} not measured" if unknown else ""
    return f"{name:<32}{len(own):>8,}{hours:>12.2f}{shown:>10}{_size(disk):>10}{more}"


def _grouped(unknown: list[Planned]) -> list[str]:
    """Jobs by their rule, network and tools, most first: ``search lenet5: pso_div, random (30)``."""
    groups: Counter[tuple[str, str]] = Counter()
    within: dict[tuple[str, str], set[str]] = {}
    for one in unknown:
        of = one.job.of
        group = (one.job.rule, "/".join(filter(None, (of.get("dataset"), of.get("model")))))
        groups[group] += 1
        keys = ("tool",) if "tool" in of else ("compression", "study", "attack", "calibration", "table", "figure")
        within.setdefault(group, set()).update(of[key] for key in keys if key in of)
    lines = []
    for group, count in sorted(groups.items(), key=lambda item: (-item[1], item[0])):
        names = sorted(within[group])
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        lines.append(f"{count:>6,}  {' '.join(filter(None, group))}{': ' if names else ''}{shown}")
    return lines


def _size(count: float) -> str:
    return f"{count / 1e6:.0f} MB" if count < 1e9 else f"{count / 1e9:.1f} GB"
