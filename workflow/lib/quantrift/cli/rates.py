"""Update the working copy's config/rates.csv from finished runs: seconds, memory and disk of jobs.

Only plans use these rates: new ones change no job and no result. Rates of jobs that were not run stay as they are; with
--missing all that the file has do. Seconds are those of the clock, or of processors where these are fewer: beside other
work a job takes longer by the clock. Start it in the working copy, or name the file to update with --rates.
"""

import argparse
from pathlib import Path

from quantrift.cli.health.environment import is_working_copy
from quantrift.cli.planning import measured, options
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.study.planning import measured_rates as committed

EXAMPLES = """examples:
  quantrift rates --configfile config/sample.yaml
  quantrift rates --configfile config/sample.yaml --results /elsewhere/results --rates measured.csv
  quantrift rates --missing --configfile config/paper.yaml config/pilot.yaml
"""


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
    committed.write(out, {**old, **new}.values())
    change = "new" if given.missing else "new or updated"
    print(f"{out}: {len(found):,} jobs measured; {len(new):,} rates {change}, {len(old):,} before")
    return 0
