"""Update the working copy's config/rates.csv from finished runs: seconds, memory and disk of jobs.

Plans and what jobs request of a cluster follow from these rates; no result does. Rates of jobs that were not run stay
as they are; with --missing all that the file has do. Seconds are those of the clock, or of processors where these are
fewer: beside other work a job takes longer by the clock. Start it in the working copy, or name the file to update with
--rates.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from quantrift.cli.health.environment import is_working_copy
from quantrift.cli.planning import measured, options
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.paths import Paths
from quantrift.study.planning import jobs
from quantrift.study.planning import measured_rates as committed
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Rates

EXAMPLES = """examples:
  quantrift rates --configfile config/sample.yaml
  quantrift rates --configfile config/sample.yaml --results /elsewhere/results --rates measured.csv
  quantrift rates --missing --configfile config/paper.yaml config/pilot.yaml
"""
WITHIN = 0.95
"""Share of the rates whose spread is printed."""


OPTIONS = {
    **options.of_run("configuration of the finished run", "file to update (config/rates.csv of this working copy)"),
    "--results": {
        "type": Path,
        "default": Path("results"),
        "metavar": "FOLDER",
        "help": "folder of its results (results)",
    },
    "--missing": {
        "action": "store_true",
        "help": "only add rates that the file lacks, as those of a larger run are better than a pilot's",
    },
}


def run(given: argparse.Namespace) -> int:
    """0."""
    out = given.rates or Path("config") / committed.FILE.name
    # An installed package is left as it is.
    if not given.rates and not is_working_copy(Path.cwd()):
        raise QuantriftError("this folder is no working copy of the project; name the file to update with --rates FILE")
    config = options.configuration(given.configfile)
    found = list(measured.found(config, given.results.resolve()))
    refuse((not found, f"{given.results / config.scale}: no finished jobs; run the configuration first"))
    new = {rate.key: rate for rate in measured.rates(config, found)}
    old = committed.read(out).of
    if given.missing:
        new = {key: rate for key, rate in new.items() if key not in old}
    rates = committed.Rates({**old, **new})
    committed.write(out, rates.of.values())
    change = "new" if given.missing else "new or updated"
    print(f"{out}: {len(found):,} jobs measured; {len(new):,} rates {change}, {len(old):,} before")
    made = {committed.described(config, one.job).key: one.job for one in found}
    print(*_compared(rates, made, Paths(given.results / config.scale)), sep="\n")
    return 0


def _compared(rates: Rates, made: Mapping[tuple[str, ...], Job], paths: Paths) -> Iterator[str]:
    """Lines: the spread of rates of equal work, then each rate far from the others with the file to make again."""
    compared = [(rate, factor, max(factor, 1 / factor)) for rate, factor in committed.from_equals(rates)]
    if compared:
        within = sorted(distance for _, _, distance in compared)[int(WITHIN * len(compared))]
        share = f"of {len(compared):,} rates of equal work {100 * WITHIN:g} %"
        yield f"{share} lie within a factor of {within:.2g} of the others"
    for rate, factor, distance in compared:
        if distance > committed.FACTOR:
            of = " ".join(filter(None, rate.key))
            again = "it is of another run"
            if job := made.get(rate.key):
                file = str(jobs.outputs(paths, job.rule)[0]).format(**job.of)
                again = f"measure it again: snakemake --cores 1 --force {file}"
            yield f"{factor:.2g} times the others of its work: {of}; {again}"
