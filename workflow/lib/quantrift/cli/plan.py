"""Costs of targets before anything runs: jobs, core-hours, memory and disk of each, and the time of all.

The jobs are those of Snakemake's own dry run in an empty folder, so every job counts, whatever results there are
already. Costs come from measured rates (config/rates.csv, made by `quantrift rates`): of the same work on the same
dataset, of other jobs of its kind there, or on a crop or simulation of it. A job without a measured rate is estimated
from the most similar jobs, with a range for their variation; the plan prints which jobs those are. Jobs that a target
shares with one above it are counted there. Jobs that train on a graphics processor count in hours of these.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from quantrift.cli.planning import options, pilot, summary
from quantrift.cli.planning.dry_run import Planned, duration, jobs, makespan, needed_for
from quantrift.core.base.errors import QuantriftError, check_name, refuse
from quantrift.core.base.paths import Paths
from quantrift.study.planning import job_resources, measured_rates
from quantrift.study.planning.estimates import Estimates
from quantrift.study.planning.measured_rates import Estimate
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import REPORT, Config

EXAMPLES = """examples:
  quantrift plan --configfile config/paper.yaml             everything it names under `all`
  quantrift plan rq1 rq2 rq3 --configfile config/paper.yaml --cores 64
  quantrift plan --configfile config/paper.yaml mine.yaml --rates measured.csv
  quantrift plan --unmeasured --serving config/paper.yaml --configfile config/paper.yaml config/pilot.yaml > files.txt
"""


OPTIONS = {
    "targets": {"nargs": "*", "metavar": "TARGET", "help": "tables, figures, collections (default: `all`)"},
    **options.of_run("configuration of the run to plan", "measured rates (config/rates.csv)"),
    "--devices": {"type": int, "default": 1, "metavar": "N", "help": "number of graphics processors (1)"},
    "--unmeasured": {
        "action": "store_true",
        "help": "print instead a file of one job of each kind that has no measured rate, for Snakemake to make",
    },
    "--serving": {
        "type": Path,
        "nargs": "+",
        "metavar": "FILE",
        "help": "with --unmeasured: the configuration that the rates are for; kinds of most of its jobs come first, "
        "kinds of none are left out",
    },
    "--cores": {
        "type": int,
        "default": os.cpu_count() or 1,
        "metavar": "N",
        "help": "number of cores (this machine's)",
    },
}


def run(given: argparse.Namespace) -> int:
    """0."""
    for name in ("cores", "devices"):
        refuse((getattr(given, name) < 1, f"--{name}: at least 1, got {getattr(given, name)}"))
    if given.serving and not given.unmeasured:
        raise QuantriftError("--serving: only with --unmeasured, which it sorts; give both or none")
    config = options.configuration(given.configfile)
    targets = given.targets or config.all
    for name in targets:
        check_name(f"unknown target '{name}'", name, [*config.targets, REPORT])
    planned, costs = priced(config, given.configfile, targets, given.cores, given.rates)
    if given.unmeasured:
        served = _unmeasured_jobs(given.serving, given) if given.serving else None
        print(*pilot.files(config, pilot.unmeasured(config, planned, costs), served), sep="\n")
        return 0
    devices = any(one.devices for one in planned)
    print(summary.heading(planned))
    for name, own in (*of_targets(config, targets, planned), ("all of these", planned)):
        print(summary.line(name, own, costs, devices=devices))
    submissions = job_resources.submissions((one.job, costs.get(one.number)) for one in planned)
    print(f"\n{time(planned, costs, given.cores, given.devices)}\non a cluster: {submissions:,} submissions")
    print(*summary.sources(planned, costs), sep="\n")
    return 0


def _unmeasured_jobs(files: Sequence[Path], given: argparse.Namespace) -> Counter[pilot.Kind]:
    """How many jobs without a measured rate each kind has in another configuration, in all its targets."""
    config = options.configuration(files)
    planned, costs = priced(config, files, config.all, given.cores, given.rates)
    return pilot.counted(config, pilot.unmeasured(config, planned, costs))


def priced(
    config: Config, configfiles: Sequence[Path], targets: Sequence[str], cores: int, rates: Path | None = None
) -> tuple[list[Planned], dict[int, Estimate]]:
    """All jobs that targets need in an empty folder, and by number the costs of those that can be told.

    Args:
        config: the configuration of ``configfiles``.
        configfiles: overlays, later ones laid over earlier ones.
        targets: tables, figures, collections.
        cores: jobs take no more threads than these.
        rates: file of measured rates; config/rates.csv by default.
    """
    with TemporaryDirectory() as folder:
        planned = jobs(configfiles, targets, Path(folder), cores)
    # Targets are jobs of Snakemake that do nothing.
    planned = [one for one in planned if one.outputs]
    known = Estimates(measured_rates.read(rates or measured_rates.FILE))
    return planned, {one.number: cost for one in planned if (cost := known.of(config, one.job))}


def of_targets(config: Config, targets: Iterable[str], planned: list[Planned]) -> Iterable[tuple[str, list[Planned]]]:
    """The jobs of each target that none before it needs."""
    seen: set[int] = set()
    results = Results(config, Paths(Path("results") / config.scale))
    for name in targets:
        own = needed_for(planned, map(str, results.made(name))) - seen
        seen |= own
        yield name, [one for one in planned if one.number in own]


def time(planned: list[Planned], costs: Mapping[int, Estimate], cores: int, devices: int = 1) -> str:
    """Time of all jobs, with a range where jobs are estimated: all at their lower ends, and all at their upper ends."""
    middle, low, high = (
        duration(makespan(planned, {number: getattr(cost, end) for number, cost in costs.items()}, cores, devices))
        for end in ("seconds", "low", "high")
    )
    on = f"{cores} {'core' if cores == 1 else 'cores'}"
    if any(one.devices for one in planned):
        on += f" and {devices} {'device' if devices == 1 else 'devices'}"
    unknown = ", without the unknown jobs" if len(costs) < len(planned) else ""
    between = f", between {low} and {high}" if any(cost.like for cost in costs.values()) else ""
    return f"time on {on}{unknown}: {middle}{between}"
