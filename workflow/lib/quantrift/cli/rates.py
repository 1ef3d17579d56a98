"""Update config/rates.csv from finished runs: what jobs took, in seconds, memory and disk.

Plans are made of these rates, and search jobs get as many seed inputs as take `engine.block_minutes`; so new rates may
give the blocks of searches other names, and a run with them makes such searches again. Rates of other machines, or of
what was not run, stay as they are.
"""

import argparse
from pathlib import Path

from quantrift.cli.planning import measured
from quantrift.config import load
from quantrift.config import rates as committed
from quantrift.config.errors import QuantriftError

EXAMPLES = """examples:
  quantrift rates --configfile config/sample.yaml
  quantrift rates --configfile config/sample.yaml --results /elsewhere/results --out measured.csv
  quantrift rates --configfile config/paper.yaml config/pilot.yaml
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--configfile", type=Path, required=True, nargs="+", metavar="FILE", help="what was run")
    parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="FOLDER", help="where its results lie (results)"
    )
    parser.add_argument("--out", type=Path, default=committed.FILE, metavar="FILE", help="file to update")


def run(given: argparse.Namespace) -> int:
    """0."""
    config = load.load(load.ROOT / "config", given.configfile)
    found = list(measured.found(config, given.results.resolve()))
    if not found:
        raise QuantriftError(f"{given.results / config.scale}: no finished jobs; run the configuration first")
    new = {rate.key: rate for rate in measured.rates(config, found)}
    old = committed.read(given.out).of
    committed.write(given.out, [*({**old, **new}).values()])
    print(f"{given.out}: {len(found):,} jobs measured; {len(new):,} rates new or updated, {len(old):,} before")
    return 0
